import { describe, expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

const vips = 'apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7]'

test('A load balancer has one of two types', () => {
  expectFindings(`platform: {vsphere: {${vips}, loadBalancer: {type: UserManaged}}}`)
  expectFindings(`platform: {vsphere: {${vips}, loadBalancer: {type: OpenShiftManagedDefault}}}`)
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    loadBalancer:
      type: External #! 13 error load-balancer-type
`)
})

test('A load balancer without a type is refused', () => {
  expectFindings(`
platform:
  nutanix:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    loadBalancer: {} #! 19 error load-balancer-type
`)
})

test('A type in the wrong case is refused, but understood', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.5]
    loadBalancer:
      type: usermanaged #! 13 error load-balancer-type
`)
})

test('A vSphere platform without virtual IPs has no load balancer of OpenShift, whatever the file says', () => {
  expectFindings(`
platform:
  vsphere:
    loadBalancer:
      type: OpenShiftManagedDefault #! 13 warning load-balancer-absent
`)
  expectFindings('platform: {vsphere: {}}')
  expectFindings('platform: {vsphere: {loadBalancer: {type: UserManaged}}}')
})

describe('the feature set', () => {
  const file = (platform: string, names = vips) => `
featureSet: Default
platform:
  ${platform}:
    loadBalancer: {type: UserManaged} #! 26 error load-balancer-feature-set
    ${names.split(', ').join('\n    ')}
`
  test.each([
    ['openstack', 13, 14],
    ['baremetal', 15, 16],
    ['vsphere', 15, 16],
    ['nutanix', 15, 16],
  ])(
    'The feature set is needed for UserManaged on %s up to 4.%i, and not from 4.%i on',
    (platform, last, first) => {
      expectFindings(file(platform), { release: last })
      expectFindings(file(platform).replace('Default', 'TechPreviewNoUpgrade').replace(/#!.*/, ''), {
        release: last,
      })
      expectFindings(file(platform).replace(/#!.*/, ''), { release: first })
      expectFindings(file(platform).replace(/#!.*/, ''))
    },
  )

  test('The feature set is needed on oVirt in every release that has oVirt', () => {
    expectFindings(file('ovirt', 'api_vips: [10.0.0.5], ingress_vips: [10.0.0.7]'), { release: 13 })
  })

  test('The feature set is not needed for the default, written or not', () => {
    expectFindings(file('vsphere').replace('UserManaged', 'OpenShiftManagedDefault').replace(/#!.*/, ''), {
      release: 13,
    })
  })

  test('The feature set is no help before 4.13', () => {
    expectFindings(file('vsphere').replace('Default', 'TechPreviewNoUpgrade'), { release: 12 })
  })

  test('The finding about the feature set names the release that needs none', () => {
    expect(messagesOf(file('vsphere').replace(/#!.*/, ''), { release: 13 })).toEqual([
      'UserManaged is a technology preview on vSphere in OpenShift 4.13; write "featureSet: TechPreviewNoUpgrade", or install 4.16 or later.',
    ])
  })
})

describe('the place of DNS records', () => {
  const file = (type: string, loadBalancer: string) => `
featureSet: TechPreviewNoUpgrade
platform:
  baremetal:
    ${vips.split(', ').join('\n    ')}
    loadBalancer: {type: ${loadBalancer}}
    dnsRecordsType: ${type}`

  test('The DNS records are external only with the load balancer of the user', () => {
    expectFindings(file('External', 'UserManaged'))
    expectFindings(file('Internal', 'OpenShiftManagedDefault'))
    expectFindings(`${file('External', 'OpenShiftManagedDefault')} #! 21 error dns-records-type`)
  })

  test('The DNS records are Internal or External', () => {
    expectFindings(`${file('Mine', 'UserManaged')} #! 21 error dns-records-type`)
  })

  test('The type of DNS records is a choice for users of previews, from 4.21 on', () => {
    const remark = '#! 21 error dns-records-feature-set'
    expectFindings(`${file('External', 'UserManaged').replace(/featureSet.*/, '')} ${remark}`)
    expectFindings(`${file('External', 'UserManaged')} ${remark}`, { release: 20 })
    expectFindings(file('External', 'UserManaged').replace('Tech', 'Dev'), { release: 21 })
  })
})
