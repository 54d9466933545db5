import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('Without virtual IPs bare metal asks DNS, OpenStack chooses them, vSphere does without', () => {
  expectFindings('platform: {baremetal: {}} #! 23 warning vip-looked-up, 23 warning vip-looked-up')
  expectFindings('platform: {openstack: {}}')
  expectFindings('platform: {vsphere: {}}')
})

test('The finding names the DNS names that the installer looks up', () => {
  expect(
    messagesOf(
      'metadata: {name: edge}\nbaseDomain: example.com\nplatform: {baremetal: {apiVIPs: [10.0.0.5]}}',
    ),
  ).toEqual([
    'There is no virtual IP for ingress, so the installer takes the first address that test.apps.edge.example.com resolves to; write it as ingressVIPs.',
  ])
})

test('OpenStack chooses no virtual IPs for the load balancer of the user', () => {
  expectFindings(`
platform:
  openstack: #! 3 error vip-missing, 3 error vip-missing
    loadBalancer:
      type: UserManaged
`)
})

test('On oVirt a file without virtual IPs is refused, on Nutanix only under the agent-based installer', () => {
  expectFindings('platform: {ovirt: {}} #! 19 error vip-missing, 19 error vip-missing', { release: 13 })
  expectFindings('platform: {nutanix: {}} #! 21 warning vip-missing, 21 warning vip-missing')
})

test('The remedy mentions your load balancer only if there is one', () => {
  expect(messagesOf('platform: {ovirt: {api_vips: [10.0.0.5]}}', { release: 13 })).toEqual([
    'There is no virtual IP for ingress, which oVirt needs; write a free address of machineNetwork as ingress_vips.',
  ])
  expect(
    messagesOf('platform: {openstack: {apiVIPs: [10.0.0.5], loadBalancer: {type: UserManaged}}}'),
  ).toEqual([
    'There is no virtual IP for ingress, which OpenStack needs; write that of your load balancer as ingressVIPs.',
  ])
})

test.each(['apiVIPs', 'ingressVIPs'])('%s need the other virtual IPs too', (field) => {
  expectFindings(`
platform:
  vsphere: #! 3 error vip-missing
    ${field}: [10.0.0.5]
`)
})

test('An empty list counts as missing', () => {
  expectFindings(`
platform:
  vsphere: #! 3 error vip-missing
    apiVIPs: []
    ingressVIPs: [10.0.0.7]
`)
})

test('More than two virtual IPs are refused', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.0.0.5]
    ingressVIPs:
      - 10.0.0.7
      - 10.0.0.8
      - 10.0.0.9 #! 9 error vip-too-many
`)
})

const unequal = `
networking:
  machineNetwork: [{cidr: 10.0.0.0/16}, {cidr: "2001:db8::/64"}]
platform:
  vsphere:
    apiVIPs: [10.0.0.5, "2001:db8::5"]
    ingressVIPs: #! 5 error vip-unequal-counts
      - 10.0.0.7
`

test('The API has as many virtual IPs as ingress; the network operator counts them where it checks', () => {
  expectFindings(unequal)
  expectFindings(unequal.replace('vsphere', 'nutanix').replace('error', 'warning'))
})
