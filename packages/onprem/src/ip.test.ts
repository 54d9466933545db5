import { isIP } from 'node:net'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIp, parseIp, sameIp } from './ip.ts'

test.each([
  ['192.0.2.10', '192.0.2.10'],
  ['0.0.0.0', '0.0.0.0'],
  ['2001:DB8:0:0:0:0:0:10', '2001:db8::10'],
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['10::100:0:0', '10::100:0:0'],
])('The address %s is written %s', (text, shortest) => {
  const ip = parseIp(text)
  expect(ip && formatIp(ip)).toBe(shortest)
})

test.each([
  '',
  'api.example.com',
  '192.0.2',
  '192.0.2.010',
  '192.0.2.256',
  '192.0.2.1/24',
  '[::1]',
  'fe80::1%eth0',
])('No address is read from "%s"', (text) => expect(parseIp(text)).toBeUndefined())

test('No address is read from IPv4 within IPv6, which the API server refuses', () => {
  expect(parseIp('::ffff:192.0.2.1')).toBeUndefined()
})

test('An address is the same one however it is spelt, and another in the other family', () => {
  const [one, other] = [parseIp('2001:db8::1'), parseIp('2001:0DB8:0::0:1')]
  expect(one && other && sameIp(one, other)).toBe(true)
  expect(sameIp({ family: 4, number: 1n }, { family: 6, number: 1n })).toBe(false)
})

test('An address comes back from every text that is made of it', () => {
  const v4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((number) => ({ family: 4, number }) as const)
  const group = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn }))
  const v6 = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => ({ family: 6, number: groups.reduce((all, each) => (all << 16n) | each, 0n) }) as const)
    .filter(({ number }) => number >> 32n !== 0xffffn)
  fc.assert(
    fc.property(fc.oneof(v4, v6), (ip) => {
      expect(isIP(formatIp(ip))).toBe(ip.family)
      expect(parseIp(formatIp(ip))).toEqual(ip)
    }),
  )
})
