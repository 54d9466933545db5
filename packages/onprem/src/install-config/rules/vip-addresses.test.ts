import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

test('Deprecated fields are read, with a warning', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIP: 10.0.0.5 #! 13 warning vip-deprecated-field
    ingressVIP: 10.128.0.5 #! 17 error vip-in-cluster-network, 17 warning vip-deprecated-field
`)
})

test('Deprecated fields are read in the spelling of oVirt', () => {
  expectFindings(
    `
platform:
  ovirt:
    api_vip: 10.0.0.5 #! 14 warning vip-deprecated-field
    ingress_vip: 10.0.0.7 #! 18 warning vip-deprecated-field
`,
    { release: 13 },
  )
})

test('A deprecated field may repeat the new one, not contradict it', () => {
  expectFindings(`
platform:
  baremetal:
    apiVIP: 10.0.0.5 #! 13 warning vip-deprecated-field
    apiVIPs: [10.0.0.5]
    ingressVIP: 10.0.0.8 #! 17 error vip-fields-disagree
    ingressVIPs: [10.0.0.7]
`)
})

test.each([
  ['10.0.0.5/16', 'write it without the length of its network: 10.0.0.5'],
  ['"[2001:db8::1]:6443"', 'write an IPv6 address without brackets and port'],
  ['fe80::1%eth0', 'leave out the zone behind the percent sign'],
  ['::ffff:10.0.0.5', 'write IPv4 as such: 10.0.0.5'],
  ['10.0.0.5:6443', 'leave out the port'],
  ['10.0.0.05', 'it takes four numbers from 0 to 255, without leading zeros'],
  ['api.example.com', 'write one such as 192.0.2.10 or 2001:db8::10, not a name'],
  ['""', 'write one such as 192.0.2.10 or 2001:db8::10, not a name'],
])('%s is not an address, and the finding says what is expected', (text, remedy) => {
  const file = `platform:\n  vsphere:\n    apiVIPs:\n      - ${text}`
  expectFindings(`${file} #! 9 error vip-not-an-address\n    ingressVIPs: [10.0.0.7]`)
  expect(messagesOf(`${file}\n    ingressVIPs: [10.0.0.7]`)[0]).toContain(remedy)
})

test.each([
  '0.0.0.0',
  '127.0.0.1',
  '169.254.7.7',
  '224.0.0.18',
  '255.255.255.255',
  '"::"',
  '"::1"',
  'fe80::1',
  'ff02::1',
])('%s is not the address of one machine', (text) => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs:
      - ${text} #! 9 error vip-special-address
    ingressVIPs: [10.0.0.7]
`)
})
