import { expect, test } from 'vitest'
import { parseIp } from './ip.ts'
import { contains, formatNetwork, masked, network, overlap, parseNetwork, roleIn } from './network.ts'

function ip(text: string) {
  const parsed = parseIp(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}

test.each([
  '192.0.2.0',
  '192.0.2.0/33',
  '192.0.2.0/',
  '2001:db8::/129',
  'x/8',
  '192.0.2.0/08',
  '/8',
  '1.2.3.4/8/9',
])('The text %s is not a network', (text) => expect(parseNetwork(text)).toBeUndefined())

test('An address within a network says which network it is', () => {
  expect(formatNetwork(masked(network('192.0.2.77/26')))).toBe('192.0.2.64/26')
  expect(formatNetwork(masked(network('2001:db8:0:1::77/64')))).toBe('2001:db8:0:1::/64')
})

test.each([
  ['10.128.0.0/14', '10.131.255.255', true],
  ['10.128.0.0/14', '10.132.0.0', false],
  ['10.0.0.5/32', '10.0.0.5', true],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::', false],
  ['::/0', '192.0.2.1', false],
])('The network %s around %s is %s', (around, address, expected) => {
  expect(contains(network(around), ip(address))).toBe(expected)
})

test.each([
  ['10.0.0.0/8', '10.128.0.0/14', true],
  ['10.0.0.0/16', '10.1.0.0/16', false],
  ['fd00::/8', 'fd98::/64', true],
  ['0.0.0.0/0', '::/0', false],
])('The networks %s and %s overlap: %s, whichever comes first', (one, other, expected) => {
  expect(overlap(network(one), network(other))).toBe(expected)
  expect(overlap(network(other), network(one))).toBe(expected)
})

test.each([
  ['192.0.2.64/26', '192.0.2.64', 'network'],
  ['192.0.2.64/26', '192.0.2.127', 'broadcast'],
  ['192.0.2.64/26', '192.0.2.65', 'first'],
  ['192.0.2.64/26', '192.0.2.66', 'host'],
  ['192.0.2.0/31', '192.0.2.0', 'host'],
  ['192.0.2.7/32', '192.0.2.7', 'host'],
  ['2001:db8::/64', '2001:db8::', 'network'],
  ['2001:db8::/64', '2001:db8::1', 'first'],
  ['2001:db8::/64', '2001:db8::ffff:ffff:ffff:ffff', 'host'],
])('In %s, %s is a %s address', (around, address, role) => {
  expect(roleIn(network(around), ip(address))).toBe(role)
})
