import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

const networks = (count: number) =>
  Array.from({ length: count }, (_, i) => `    - cidr: 192.168.${i}.0/24`).join('\n')

test('A list that is longer than any cluster has is not checked to its end, and the report says so', () => {
  const text = (count: number) =>
    `networking:\n  machineNetwork:\n${networks(count)}\nplatform: {vsphere: {}}\n`
  expect(messagesOf(text(64))).toEqual([])
  expect(messagesOf(text(65))).toEqual([
    'machineNetwork has 65 entries, of which the first 64 are checked; shorten it.',
  ])
})

test('A list of machines may be long, with a warning', () => {
  expectFindings(`
platform:
  baremetal:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    hosts: [${'{},'.repeat(65)}] #! 12 warning list-too-long
`)
})

test('A noProxy list may be long, with a warning, and is read to its end', () => {
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

test('Messages show the beginning of a list', () => {
  const [message] = messagesOf(
    `networking:\n  machineNetwork:\n${networks(20)}\nplatform: {vsphere: {apiVIPs: [192.0.2.5], ingressVIPs: [192.168.0.5]}}\n`,
  )
  expect(message).toContain('192.168.6.0/24, 192.168.7.0/24 and 12 more), which')
})
