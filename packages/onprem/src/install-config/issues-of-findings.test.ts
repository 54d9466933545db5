import { expect, test } from 'vitest'
import { checkInstallConfig } from './check.ts'

const knownIn = (text: string, release?: number) =>
  checkInstallConfig(`baseDomain: example.com\nmetadata: {name: edge}\n${text}`, { release }).map(
    ({ rule, known = [] }) => [rule, ...known.map((each) => /OCPBUGS-\d+|BZ\d+/.exec(each)?.[0] ?? each)],
  )

const far = '{apiVIPs: [192.0.2.5], ingressVIPs: [192.0.2.5], loadBalancer: {type: UserManaged}}'

test('A finding names the known issues of others', () => {
  const outside = ['vip-outside-machine-networks', 'OCPBUGS-33921', 'OCPBUGS-23140', 'OCPBUGS-7015']
  expect(knownIn(`platform: {vsphere: ${far}}`)).toEqual([outside, outside])
})

test('A finding does not name the known issues of other platforms', () => {
  const outside = ['vip-outside-machine-networks', 'OCPBUGS-33921', 'OCPBUGS-23140', 'OCPBUGS-64603']
  expect(knownIn(`platform: {openstack: ${far}}`)).toEqual([outside, outside])
  expect(knownIn('platform: {baremetal: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.5]}}')).toEqual([
    ['vip-shared'],
  ])
})

test.each([
  ['platform: {openstack: {loadBalancer: {type: UserManaged}}}', 'OCPBUGS-53140'],
  [
    'networking: {machineNetwork: [{cidr: 192.0.2.0/28}, {cidr: 198.51.100.0/28}]}\nplatform: {baremetal: {apiVIPs: [192.0.2.5], ingressVIPs: [198.51.100.5]}}',
    'OCPBUGS-18771',
  ],
  [
    'networking: {serviceNetwork: [172.30.0.0/16, "fd02::/112"]}\nplatform: {openstack: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.5], loadBalancer: {type: UserManaged}}}',
    'On OpenStack with both families, ports for the virtual IPs were expected under UserManaged.',
  ],
  [`proxy: {httpProxy: "http://proxy"}\nplatform: {nutanix: ${far}}`, 'BZ1762618'],
])('A finding in %j names the issue %s', (text, issue) => {
  expect(knownIn(text, 13).flat()).toContain(issue)
})
