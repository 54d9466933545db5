import { expect, it } from 'vitest'
import { parseStaticAddresses } from './static-addresses.ts'

it('The option for static addresses takes IPs and host names, repeated and with commas between', () => {
  expect(parseStaticAddresses(['203.0.113.7, lb.example.com', '2001:db8::7', ' '])).toEqual([
    { ip: '203.0.113.7' },
    { hostname: 'lb.example.com' },
    { ip: '2001:db8::7' },
  ])
})

it('The option for static addresses takes a host name of 253 characters', () => {
  const hostname = `${'a'.repeat(245)}.example`
  expect(parseStaticAddresses([hostname])).toEqual([{ hostname }])
})

it.each([
  ['1.2.3.4:80', 'without a port'],
  ['lb.example.com:443', 'without a port'],
  ['[::1]', 'without brackets'],
  ['[::1]:80', 'without brackets'],
  ['010.0.0.1', 'without leading zeros'],
  ['300.0.0.1', 'from 0 to 255'],
  ['LB.example.com', 'in lower case: lb.example.com'],
  ['*.example.com', 'wildcard'],
  ['lb_1.example.com', 'neither an IP nor a DNS name'],
  ['lb[1].example.com', 'neither an IP nor a DNS name'],
  ['2001:db8:0::g', 'neither an IP nor a DNS name'],
  ['a'.repeat(254), 'at most 253 characters'],
  ['10.0.0.1,10.0.0.1', 'twice'],
  ['2001:db8::7,2001:DB8:0::7', 'twice'],
  ['fe80::1%eth0', 'without it'],
  ['::ffff:10.0.0.1', 'as an IPv4 address'],
])('The option for static addresses rejects %s and says what to do', (text, remedy) => {
  expect(() => parseStaticAddresses([text])).toThrow(remedy)
})
