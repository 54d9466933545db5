import { expect, test } from 'vitest'
import { expectFindings } from '../../testing/findings.ts'
import { checkInstallConfig } from '../check.ts'

test('Services have one network, or one of each family', () => {
  expectFindings(`
networking:
  serviceNetwork:
    - 172.30.0.0/16
    - 172.31.0.0/16 #! 7 error service-network-count
platform: {vsphere: {}}
`)
  expectFindings(`
networking:
  machineNetwork: [{cidr: 10.0.0.0/16}, {cidr: "2001:db8::/64"}]
  clusterNetwork: [{cidr: 10.128.0.0/14}, {cidr: "fd01::/48"}]
  serviceNetwork:
    - 172.30.0.0/16
    - fd02::/112
    - fd03::/112 #! 7 error service-network-count
platform: {vsphere: {}}
`)
})

test('Where Services have both families, nodes and pods have both', () => {
  expectFindings(`
networking:
  machineNetwork: #! 3 error network-families
    - cidr: 10.0.0.0/16
  serviceNetwork: #! 3 error network-families
    - 172.30.0.0/16
    - fd02::/112
platform: {vsphere: {}}
`)
})

test('IPv6 comes first on bare metal, OpenStack and vSphere, not on Nutanix', () => {
  const file = (platform: string, remark: string) => `
networking:
  machineNetwork: [{cidr: "2001:db8::/64"}, {cidr: 10.0.0.0/16}] ${remark}
  clusterNetwork: [{cidr: "fd01::/48"}, {cidr: 10.128.0.0/14}] ${remark}
  serviceNetwork: ["fd02::/112", 172.30.0.0/16] ${remark}
platform:
  ${platform}: {apiVIPs: ["2001:db8::5", 10.0.0.5], ingressVIPs: ["2001:db8::7", 10.0.0.7]}
`
  for (const platform of ['baremetal', 'openstack', 'vsphere']) expectFindings(file(platform, ''))
  const found = checkInstallConfig(file('nutanix', '')).filter(({ rule }) => rule === 'network-family-order')
  expect(found.map(({ path }) => path)).toEqual([
    'networking.machineNetwork',
    'networking.clusterNetwork',
    'networking.serviceNetwork',
  ])
})
