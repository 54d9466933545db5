import { expect, test } from 'vitest'
import { contains, formatCidr, formatIp, masked, parseCidr, parseIp } from './ip.ts'

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::', '::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['01.2.3.4', undefined],
  ['::ffff:1.2.3.4', undefined],
  ['1:2', undefined],
  ['fe80::1%eth0', undefined],
])('%s is the address %s', (text, expected) => {
  const ip = parseIp(text)
  expect(ip === undefined ? undefined : formatIp(ip)).toBe(expected)
})

test('A network contains the addresses with its prefix', () => {
  const network = parseCidr('10.1.2.3/12')
  const [inside, outside] = [parseIp('10.15.0.1'), parseIp('10.16.0.1')]
  if (network === undefined || inside === undefined || outside === undefined) throw new Error('not parsed')
  expect(formatCidr(masked(network))).toBe('10.0.0.0/12')
  expect(contains(network, inside)).toBe(true)
  expect(contains(network, outside)).toBe(false)
})
