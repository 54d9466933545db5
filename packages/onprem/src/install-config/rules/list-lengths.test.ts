import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

const networks = (count: number) =>
  Array.from({ length: count }, (_, i) => `    - cidr: 192.168.${i}.0/24`).join('\n')

test('of a list that is longer than any cluster has, the rest is not checked, which is told', () => {
  const text = (count: number) =>
    `networking:\n  machineNetwork:\n${networks(count)}\nplatform: {vsphere: {}}\n`
  expect(messagesOf(text(64))).toEqual([])
  expect(messagesOf(text(65))).toEqual([
    'machineNetwork has 65 entries, of which the first 64 are checked; shorten it.',
  ])
})

test('of the machines there may be many, and one is warned', () => {
  expectFindings(`
platform:
  baremetal:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    hosts: [${'{},'.repeat(65)}] #! 12 warning list-too-long
`)
})

test('of noProxy, too; what it spares is seen to its end', () => {
  expectFindings(`
platform:
  nutanix:
    loadBalancer: {type: UserManaged}
    apiVIPs: [192.0.2.5]
    ingressVIPs: [192.0.2.5]
proxy:
  httpsProxy: http://proxy.example.com
  noProxy: ${'a.example.com,'.repeat(64)}192.0.2.5 #! 12 warning list-too-long
`)
})

test('messages show the beginning of a list', () => {
  const [message] = messagesOf(
    `networking:\n  machineNetwork:\n${networks(20)}\nplatform: {vsphere: {apiVIPs: [192.0.2.5], ingressVIPs: [192.168.0.5]}}\n`,
  )
  expect(message).toContain('192.168.6.0/24, 192.168.7.0/24 and 12 more), which')
})
