import { describe, expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

describe('outside of the machine networks', () => {
  const file = (platform: string, loadBalancer: string, remark: string) => `
networking:
  machineNetwork: [{cidr: 192.0.2.0/24}, {cidr: 203.0.113.0/24}]
platform:
  ${platform}:
    apiVIPs: [203.0.113.10]
    ingressVIPs: [198.51.100.10] ${remark}
    loadBalancer: {type: ${loadBalancer}}
`
  const refused = '#! 19 error vip-outside-machine-networks'

  test.each(['baremetal', 'openstack', 'vsphere'])(
    'A virtual IP outside of the machine networks is refused on %s, whosever it is',
    (platform) => {
      expectFindings(file(platform, 'OpenShiftManagedDefault', refused))
      expectFindings(file(platform, 'UserManaged', refused))
    },
  )

  test('A virtual IP outside of the machine networks of Nutanix gets a warning only, and none if the load balancer is the user’s', () => {
    expectFindings(file('nutanix', 'OpenShiftManagedDefault', refused.replace('error', 'warning')))
    expectFindings(file('nutanix', 'UserManaged', ''))
  })

  test('A finding about a virtual IP outside of the machine networks names who refuses it, and when', () => {
    const [byInstaller] = messagesOf(file('baremetal', 'OpenShiftManagedDefault', ''))
    expect(byInstaller).toBe(
      '198.51.100.10 lies outside of machineNetwork (192.0.2.0/24, 203.0.113.0/24), which the installer refuses; choose an address in it, or correct machineNetwork.',
    )
    const [byOperator] = messagesOf(file('baremetal', 'UserManaged', ''))
    expect(byOperator).toBe(
      '198.51.100.10 lies outside of machineNetwork (192.0.2.0/24, 203.0.113.0/24), which the network operator refuses after the installation; add its network to machineNetwork.',
    )
  })

  test('A virtual IP is measured against the default where no network is given, and the finding says so', () => {
    expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.1.0.5] #! 15 error vip-outside-machine-networks
    ingressVIPs: [10.0.0.7]
`)
    expect(messagesOf('platform: {vsphere: {apiVIPs: [10.1.0.5], ingressVIPs: [10.0.0.7]}}')[0]).toMatch(
      /^10\.1\.0\.5 lies outside of machineNetwork \(10\.0\.0\.0\/16, its default\), which/,
    )
  })
})

describe('inside of what the cluster uses itself', () => {
  const file = (vip: string, rule: string) => `
networking:
  clusterNetwork: [{cidr: 10.200.0.0/16}]
  serviceNetwork: [10.201.0.0/16]
platform:
  vsphere:
    loadBalancer: {type: UserManaged}
    apiVIPs: ["${vip}"] #! 15 error ${rule}
    ingressVIPs: [10.0.0.7]
`
  test.each([
    ['10.200.3.4', 'vip-in-cluster-network'],
    ['10.201.3.4', 'vip-in-service-network'],
    ['100.64.0.9', 'vip-in-ovn-network'],
    ['100.88.0.9', 'vip-in-ovn-network'],
    ['fd97::9', 'vip-in-ovn-network'],
    ['fd98::9', 'vip-in-ovn-network'],
    ['fd69::9', 'vip-in-ovn-network'],
  ])('A virtual IP in a network of the cluster has one finding: %s, %s', (vip, rule) =>
    expectFindings(file(vip, rule)),
  )

  test('A virtual IP is measured against OVN’s networks as they are set, and not at all under another plugin', () => {
    const moved = `
networking:
  machineNetwork: [{cidr: 100.64.0.0/24}]
  ovnKubernetesConfig: {ipv4: {internalJoinSubnet: 100.99.0.0/16}}
platform:
  vsphere:
    apiVIPs: [100.64.0.9]
    ingressVIPs: [100.99.0.9] #! 19 error vip-in-ovn-network
`
    expectFindings(moved)
    const other = moved
      .replace(/ovnKubernetesConfig.*/, 'networkType: Calico')
      .replace('in-ovn-network', 'outside-machine-networks')
    expectFindings(other)
  })
})

describe('an address that is taken', () => {
  const file = (vip: string, remark: string) => `
networking:
  machineNetwork: [{cidr: 192.0.2.64/26}, {cidr: "2001:db8::/64"}]
platform:
  nutanix:
    apiVIPs: ["${vip}"] ${remark}
    ingressVIPs: [192.0.2.70]
`
  test.each([
    ['192.0.2.64', '#! 15 error vip-network-address'],
    ['192.0.2.127', '#! 15 error vip-broadcast-address'],
    ['192.0.2.65', '#! 15 warning vip-first-address'],
    ['192.0.2.66', ''],
    ['2001:db8::', '#! 15 error vip-network-address'],
    ['2001:db8::1', '#! 15 warning vip-first-address'],
    ['2001:db8::ffff:ffff:ffff:ffff', ''],
  ])('A virtual IP at a special address of its network is reported: %s %s', (vip, remark) =>
    expectFindings(file(vip, remark)),
  )

  test('A virtual IP that is taken by a gateway or a machine of bare metal is reported', () => {
    expectFindings(`
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform:
  baremetal:
    bootstrapExternalStaticGateway: 192.0.2.254
    apiVIPs: [192.0.2.254] #! 15 error vip-gateway-address
    ingressVIPs: [192.0.2.21] #! 19 error vip-host-address
    hosts:
      - name: control-0
        networkConfig:
          interfaces:
            - ipv4: {address: [{ip: 192.0.2.21, prefix-length: 24}]}
`)
    expectFindings(`
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform:
  baremetal:
    bootstrapExternalStaticIP: 192.0.2.20
    apiVIPs: [192.0.2.20] #! 15 error vip-host-address
    ingressVIPs: [192.0.2.99] #! 19 error vip-gateway-address
    hosts:
      - networkConfig:
          routes:
            config:
              - {destination: 0.0.0.0/0, next-hop-address: 192.0.2.99}
              - {destination: 198.51.100.0/24, next-hop-address: 192.0.2.20}
`)
  })

  test('A virtual IP that is taken by a gateway or a machine of vSphere is reported', () => {
    expectFindings(`
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform:
  vsphere:
    apiVIPs: [192.0.2.1] #! 15 error vip-gateway-address
    ingressVIPs: [192.0.2.21] #! 19 error vip-host-address
    hosts:
      - networkDevice: {gateway: 192.0.2.1, ipAddrs: [192.0.2.21/24]}
`)
  })
})

test.each([
  [13, '#! 19 warning vip-networks-apart'],
  [14, ''],
])('API and ingress in different networks are a problem in 4.13 alone: 4.%i', (release, remark) => {
  expectFindings(
    `
networking: {machineNetwork: [{cidr: 192.0.2.0/24}, {cidr: 198.51.100.0/24}]}
platform:
  baremetal:
    apiVIPs: [192.0.2.5]
    ingressVIPs: [198.51.100.7] ${remark}
`,
    { release },
  )
})
