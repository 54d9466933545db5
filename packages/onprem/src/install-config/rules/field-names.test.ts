import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('Names that the documents print wrongly are refused: bare-metal, machineNetworks', () => {
  expectFindings(`
networking:
  machineNetworks: #! 3 error field-name
    - cidr: 192.0.2.0/24
platform:
  bare-metal: #! 3 error field-name
    apiVIPs: [192.0.2.10]
`)
})

test('The spelling of oVirt is valid on oVirt only', () => {
  expectFindings(`
platform:
  vsphere:
    api_vips: [10.0.0.5] #! 5 error field-name
    ingress_vip: 10.0.0.7 #! 5 error field-name
`)
  expect(messagesOf('platform: {vsphere: {api_vips: [10.0.0.5]}}')).toEqual([
    'There is no field api_vips, which the installer refuses; write apiVIPs.',
  ])
})

test('Upper and lower case do not matter to the installer, and are worth a warning', () => {
  expectFindings(`
platform:
  vSphere: #! 3 warning field-case
    apiVips: [10.128.0.5] #! 5 warning field-case, 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
`)
})

test('The type of the load balancer has its place under the platform', () => {
  expectFindings(`
platform:
  vsphere:
    loadBalancerType: UserManaged #! 5 error field-name
`)
})

test('The type of the load balancer is misplaced everywhere else', () => {
  expectFindings(`
feature-set: TechPreviewNoUpgrade #! 1 error field-name
proxy:
  no_proxy: example.com #! 3 error field-name
platform:
  vsphere:
    loadBalancer:
      Type: UserManaged #! 7 warning field-case
`)
})

test('Unknown names are left to the installer', () => {
  expectFindings(`
controlPlane: {replicas: 3}
sshKey: ssh-ed25519 AAAA
platform:
  vsphere:
    vcenters: []
`)
})
