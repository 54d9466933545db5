import { expect, it } from 'vitest'
import { addressesEqual, formatAddress, inOrder } from './address.ts'

const [one, two] = [{ ip: '10.0.0.1' }, { hostname: 'lb.example.com' }]

it('Lists of addresses are equal whatever their order, duplicates, and empty or absent ports', () => {
  expect(addressesEqual([one, two], [two, one, one])).toBe(true)
  expect(addressesEqual([{ ...one, ports: [] }], [one])).toBe(true)
  expect(addressesEqual([{ ...one, ports: [{ port: 80, protocol: 'TCP' }] }], [one])).toBe(false)
  expect(addressesEqual([one], [])).toBe(false)
})

it('Blank addresses are dropped', () => {
  expect(inOrder([{}, two, one, one])).toEqual([one, two])
})

it.each([
  ['fe80::1%eth0'],
  ['010.0.0.1'],
  ['10.0.0.1:80'],
  ['::ffff:10.0.0.1'],
  ['::FFFF:a00:1'],
  ['0:0:0:0:0:ffff:a00:1'],
  [' '],
  ['lb.example.com'],
])('The IP %s, which API servers reject in the status of an Ingress, is dropped', (ip) => {
  expect(inOrder([{ ip }, one])).toEqual([one])
  expect(inOrder([{ ip, ...two }])).toEqual([two])
})

it.each([
  ['LB.example.com'],
  ['lb_1.example.com'],
  ['lb.example.com.'],
  ['*.example.com'],
  ['10.0.0.1'],
  ['010.0.0.1'],
  ['fd00::1'],
  ['a'.repeat(254)],
])('The host name %s, which API servers reject in the status of an Ingress, is dropped', (hostname) => {
  expect(inOrder([{ hostname }, two])).toEqual([two])
  expect(inOrder([{ hostname, ...one }])).toEqual([one])
})

it.each([
  ['2001:DB8:0::7'],
  ['::'],
  ['::1.2.3.4'],
  ['1:2:3:4:5:6:7::'],
  ['ABCD:ABCD:ABCD:ABCD:ABCD:ABCD:192.168.158.190'],
  ['::ffff:1:2:3'],
])('The IP %s, which API servers accept, is kept as it is written', (ip) => {
  expect(inOrder([{ ip }])).toEqual([{ ip }])
})

it.each([['10.0.0.1.nip.io'], ['lb.10.0.0.1'], ['10.0.1'], ['1.10.0.0.1']])(
  'The host name %s only has numbers in it, and is kept',
  (hostname) => {
    expect(inOrder([{ hostname }])).toEqual([{ hostname }])
  },
)

it('A list of addresses that others hold as well is not changed', () => {
  const ports = Object.freeze([443, 80].map((port) => Object.freeze({ port, protocol: 'TCP' })))
  const shared = Object.freeze([Object.freeze({ ...two, ports }), Object.freeze({ ...one, ports })])
  expect(inOrder(shared).map(({ ip, hostname }) => ip ?? hostname)).toEqual(['10.0.0.1', 'lb.example.com'])
  expect(addressesEqual(shared, shared.toReversed())).toBe(true)
})

it('An address is formatted as people write it', () => {
  expect(formatAddress({ ip: '10.0.0.1', ports: [{ port: 443, protocol: 'TCP' }] })).toBe('10.0.0.1:443/TCP')
  expect(formatAddress({ ip: 'fd00::1', ports: [{ port: 443, protocol: 'TCP' }] })).toBe('[fd00::1]:443/TCP')
  expect(formatAddress({ ip: 'fd00::1' })).toBe('fd00::1')
  expect(formatAddress({ hostname: 'lb.example.com' })).toBe('lb.example.com')
  expect(formatAddress({ ip: '10.0.0.1', hostname: 'lb.example.com' })).toBe('10.0.0.1:lb.example.com')
  expect(formatAddress({ ip: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP', error: 'InUse' }] })).toBe(
    '10.0.0.1:80/TCP (InUse)',
  )
})

it.each([
  ['another IP', { ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
  ['another host name', { hostname: 'a.example' }, { hostname: 'b.example' }],
  ['a host name beside the same IP', { ip: '10.0.0.1' }, { ip: '10.0.0.1', hostname: 'a.example' }],
  ['ports', { ip: '10.0.0.1' }, { ip: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] }],
])(
  'An address that differs by %s is another address, and a list with both is another list',
  (_, first, second) => {
    expect(addressesEqual([first], [second])).toBe(false)
    expect(addressesEqual([second], [first])).toBe(false)
    expect(addressesEqual([first], [first, second])).toBe(false)
    expect(addressesEqual([first, second], [first])).toBe(false)
    expect(addressesEqual([first, second], [second, first])).toBe(true)
  },
)

it('Addresses are equal whatever the order of their ports', () => {
  const [http, https] = [80, 443].map((port) => ({ port, protocol: 'TCP' }))
  expect(formatAddress({ ip: '10.0.0.1', ports: [https, http] as never })).toBe('10.0.0.1:443/TCP,80/TCP')
  expect(formatAddress({ ip: '10.0.0.1', ports: [http, https] as never })).toBe('10.0.0.1:443/TCP,80/TCP')
})
