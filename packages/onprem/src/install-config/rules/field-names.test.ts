import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('what the documents print wrongly is refused: bare-metal, machineNetworks', () => {
  expectFindings(`
networking:
  machineNetworks: #! 3 error field-name
    - cidr: 192.0.2.0/24
platform:
  bare-metal: #! 3 error field-name
    apiVIPs: [192.0.2.10]
`)
})

test("oVirt's spelling is oVirt's alone", () => {
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

test('capitals do not matter to the installer, and are worth a warning', () => {
  expectFindings(`
platform:
  vSphere: #! 3 warning field-case
    apiVips: [10.128.0.5] #! 5 warning field-case, 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
`)
})

test('the type of the load balancer has its place', () => {
  expectFindings(`
platform:
  vsphere:
    loadBalancerType: UserManaged #! 5 error field-name
`)
})

test('so it is everywhere else', () => {
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

test('names of which nothing is known here are left to the installer', () => {
  expectFindings(`
controlPlane: {replicas: 3}
sshKey: ssh-ed25519 AAAA
platform:
  vsphere:
    vcenters: []
`)
})
