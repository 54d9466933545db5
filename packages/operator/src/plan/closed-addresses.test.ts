import { expect, test } from 'vitest'
import type { Address } from '../addresses/address.ts'
import { closedAddresses } from './closed-addresses.ts'

const at = (ip: string, ...ports: number[]): Address => ({
  ip,
  ...(ports.length > 0 && { ports: ports.map((port) => ({ port, protocol: 'TCP' })) }),
})

test('nothing is lost where everything stays, or where more comes', () => {
  expect(closedAddresses([at('10.0.0.1', 80)], [at('10.0.0.1', 80, 443), at('10.0.0.2', 80)], false)).toEqual(
    [],
  )
})

test('an address that says no ports has them all', () => {
  expect(closedAddresses([at('10.0.0.1', 80)], [at('10.0.0.1')], false)).toEqual([])
})

test('one address is lost, and a port of another', () => {
  const before = [at('10.0.0.1', 80, 443), at('10.0.0.2', 80, 443)]
  expect(closedAddresses(before, [at('10.0.0.2', 443, 8080)], false)).toEqual([
    'It is no longer reachable at 10.0.0.1: clients that use this address are cut off.',
    'Port 80 of 10.0.0.2 is no longer open: clients that use it are cut off. After the change the open ports are 443, 8080.',
  ])
})

test('which nodes are left is not said where the scheduler chooses them', () => {
  const before = [at('10.0.0.1', 80), at('10.0.0.2', 80)]
  expect(closedAddresses(before, [at('10.0.0.2', 80), at('10.0.0.3', 80)], true)).toEqual([])
  expect(closedAddresses(before, [at('10.0.0.2', 80)], true)).toEqual([
    'Of the 2 addresses at which it is reachable now, 1 remains: clients that use another are cut off.',
  ])
})

test('an address before the nodes is lost whatever the scheduler chooses', () => {
  expect(closedAddresses([at('192.0.2.1')], [at('10.0.0.1', 30_080)], true)).toEqual([
    'It is no longer reachable at 192.0.2.1: clients that use this address are cut off.',
  ])
})
