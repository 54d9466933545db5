import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('A file without a platform cannot be installed', () => {
  expectFindings('apiVersion: v1 #! 1 error platform-missing')
  expectFindings('platform: {} #! 11 error platform-missing')
  expectFindings('platform: {mars: {}} #! 12 error platform-missing')
  expectFindings('platform: {vsphere: } #! 12 error platform-missing')
})

test('A cluster has one platform', () => {
  expectFindings(`
platform:
  vsphere: {}
  nutanix: #! 3 error platform-several
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
`)
})

test('Nothing is claimed of platforms that are not checked', () => {
  expect(messagesOf('platform: {powervc: {}}')).toEqual([
    'The virtual IPs of powervc, if it has any, are not checked; this command is for baremetal, nutanix, openstack, ovirt, vsphere.',
  ])
})

test('Cloud platforms are not checked, and the report says so', () => {
  expectFindings(`
platform:
  aws: #! 3 warning platform-not-on-premises
    region: eu-north-1
`)
})

const ovirt = `
platform:
  ovirt: #! 3 error platform-unsupported
    api_vips: [10.0.0.5]
    ingress_vips: [10.0.0.7]
`

test('The oVirt platform ended with 4.13', () => {
  expectFindings(ovirt)
  expectFindings(ovirt, { release: 14 })
  expectFindings(ovirt.replace(/#!.*/, ''), { release: 13 })
})
