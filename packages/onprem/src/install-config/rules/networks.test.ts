import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('A network must be in CIDR notation', () => {
  expectFindings(`
networking:
  machineNetwork:
    - cidr: 192.0.2.0 #! 13 error network-notation
  clusterNetwork:
    - cidr: 10.128.0.5/14 #! 13 error network-notation
  serviceNetwork:
    - 0.0.0.0/16 #! 7 error network-notation
  ovnKubernetesConfig:
    ipv4:
      internalJoinSubnet: 100.70.0.1/16 #! 27 error network-notation
platform: {vsphere: {}}
`)
  expect(messagesOf('networking: {serviceNetwork: [172.30.0.1/16]}\nplatform: {vsphere: {}}')).toEqual([
    '172.30.0.1/16 is an address within a network; write the network, 172.30.0.0/16.',
  ])
})

test('Networks of a cluster may not overlap, those with default values included', () => {
  expectFindings(`
networking:
  machineNetwork:
    - cidr: 192.0.2.0/24
    - cidr: 192.0.2.128/25 #! 13 error network-overlap
  clusterNetwork:
    - cidr: 172.16.0.0/12 #! 13 error network-overlap, 13 warning network-overlaps-docker
platform: {vsphere: {}}
`)
  expectFindings(`
networking:
  machineNetwork:
    - cidr: 10.128.0.0/16 #! 13 error network-overlap
platform: {vsphere: {}}
`)
})

test('Networks of a cluster may not overlap with those of OVN, by default or as set', () => {
  expectFindings(`
networking:
  machineNetwork:
    - cidr: 100.64.7.0/24 #! 13 error network-overlaps-ovn
  clusterNetwork:
    - cidr: fd98::/48 #! 13 error network-overlaps-ovn
platform: {vsphere: {}}
`)
  expectFindings(`
networking:
  ovnKubernetesConfig:
    ipv4:
      internalJoinSubnet: 10.0.128.0/17 #! 27 error network-overlaps-ovn
platform: {vsphere: {}}
`)
})

test('The checker warns about the Docker bridge CIDR', () => {
  expectFindings(`
networking:
  machineNetwork:
    - cidr: 172.17.5.0/24 #! 13 warning network-overlaps-docker
platform: {vsphere: {}}
`)
})

test.each([
  ['172.32.0.0/12', ''],
  ['172.32.0.0/11', '#! 20 error service-network-size'],
  ['"fd02::/108"', ''],
  ['"fd02::/107"', '#! 20 error service-network-size'],
])('The network of Services has a certain size: %s %s', (network, remark) => {
  expectFindings(`
networking:
  serviceNetwork: [${network}] ${remark}
platform: {vsphere: {}}
`)
})

test('Deprecated names of the fields are read as well', () => {
  expectFindings(`
networking:
  machineCIDR: 192.0.2.0/24
  serviceCIDR: 192.0.2.0/25 #! 16 error network-overlap
  clusterNetworks: [{cidr: 192.0.2.5/24}] #! 28 error network-notation, 28 error network-overlap
platform: {vsphere: {}}
`)
})
