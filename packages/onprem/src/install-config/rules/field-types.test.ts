import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('Text instead of a list, and a list instead of text, are refused but read', () => {
  expectFindings(`
networking:
  machineNetwork: 192.0.2.0/24 #! 19 error field-type
platform:
  vsphere:
    apiVIPs: 10.128.0.5 #! 14 error field-type, 14 error vip-in-cluster-network
    ingressVIP: [192.0.2.11] #! 17 error field-type
`)
})

test('The items of a list have their shape: machine and cluster networks are maps, service networks are not', () => {
  expectFindings(`
networking:
  machineNetwork: [10.0.0.0/16] #! 20 error field-type
  clusterNetwork: [10.128.0.0/14] #! 20 error field-type
  serviceNetwork:
    - cidr: 172.30.0.0/16 #! 7 error field-type
platform: {vsphere: {}}
`)
})

test('A text or a list instead of a map is refused', () => {
  expectFindings(`
platform: vsphere #! 11 error field-type
networking: [] #! 13 error field-type
proxy: http://proxy:3128 #! 8 error field-type
metadata: edge #! 11 error field-type
featureSet: [] #! 13 error field-type
`)
  expectFindings('platform: {vsphere: UserManaged} #! 21 error field-type')
  expectFindings(`
platform:
  vsphere:
    loadBalancer: UserManaged #! 19 error field-type
`)
})

test('A number or a list instead of a name is refused', () => {
  expectFindings(`
baseDomain: #! 1 error field-type
  - example.com
metadata:
  name: {is: edge} #! 9 error field-type
proxy:
  noProxy: [example.com, example.org] #! 12 error field-type
platform:
  vsphere:
    loadBalancer:
      type: [UserManaged] #! 13 error field-type
`)
})

test('The remedy shows how the field is written', () => {
  expect(messagesOf('networking: {machineNetwork: 192.0.2.0/24}\nplatform: {vsphere: {}}')).toEqual([
    'machineNetwork is a text, but must be a list; write it as "- cidr: 192.0.2.0/24".',
  ])
})
