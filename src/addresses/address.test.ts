import { expect, it } from 'vitest'
import { inOrder, saysTheSame, textOf } from './address.ts'

const [one, two] = [{ ip: '10.0.0.1' }, { hostname: 'lb.example.com' }]

it('order and duplicates make no difference, and neither do ports that are empty or absent', () => {
  expect(saysTheSame([one, two], [two, one, one])).toBe(true)
  expect(saysTheSame([{ ...one, ports: [] }], [one])).toBe(true)
  expect(saysTheSame([{ ...one, ports: [{ port: 80, protocol: 'TCP' }] }], [one])).toBe(false)
  expect(saysTheSame([one], [])).toBe(false)
})

it('blank entries are dropped: an Ingress with an empty address is no use to anybody', () => {
  expect(inOrder([{}, two, one, one])).toEqual([one, two])
})

it('lists that others hold as well are left as they are', () => {
  const ports = Object.freeze([443, 80].map((port) => Object.freeze({ port, protocol: 'TCP' })))
  const shared = Object.freeze([Object.freeze({ ...two, ports }), Object.freeze({ ...one, ports })])
  expect(inOrder(shared).map(({ ip, hostname }) => ip ?? hostname)).toEqual(['10.0.0.1', 'lb.example.com'])
  expect(saysTheSame(shared, shared.toReversed())).toBe(true)
})

it('an address reads as people write it', () => {
  expect(textOf({ ip: '10.0.0.1', ports: [{ port: 443, protocol: 'TCP' }] })).toBe('10.0.0.1:443/TCP')
})
