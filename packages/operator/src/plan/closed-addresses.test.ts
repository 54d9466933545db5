import { expect, test } from 'vitest'
import type { Address } from '../addresses/address.ts'
import { closedAddresses } from './closed-addresses.ts'

const at = (ip: string, ...ports: number[]): Address => ({
  ip,
  ...(ports.length > 0 && { ports: ports.map((port) => ({ port, protocol: 'TCP' })) }),
})

test('No address is closed if all addresses and ports stay', () => {
  expect(closedAddresses([at('10.0.0.1', 80)], [at('10.0.0.1', 80, 443), at('10.0.0.2', 80)], false)).toEqual(
    [],
  )
})

test('An address without ports counts as open on every port', () => {
  expect(closedAddresses([at('10.0.0.1', 80)], [at('10.0.0.1')], false)).toEqual([])
})

test('An address that is lost is reported, and a lost port of another', () => {
  const before = [at('10.0.0.1', 80, 443), at('10.0.0.2', 80, 443)]
  expect(closedAddresses(before, [at('10.0.0.2', 443, 8080)], false)).toEqual([
    'It is no longer reachable at 10.0.0.1: clients that use this address are cut off.',
    'Port 80 of 10.0.0.2 is no longer open: clients that use it are cut off. After the change the open ports are 443, 8080.',
  ])
})

test('The number of nodes alone is reported if the scheduler chooses them', () => {
  const before = [at('10.0.0.1', 80), at('10.0.0.2', 80)]
  expect(closedAddresses(before, [at('10.0.0.2', 80), at('10.0.0.3', 80)], true)).toEqual([])
  expect(closedAddresses(before, [at('10.0.0.2', 80)], true)).toEqual([
    'Of the 2 addresses at which it is reachable now, 1 remains: clients that use another are cut off.',
  ])
})

test('A lost load balancer address is reported whatever the scheduler chooses', () => {
  expect(closedAddresses([at('192.0.2.1')], [at('10.0.0.1', 30_080)], true)).toEqual([
    'It is no longer reachable at 192.0.2.1: clients that use this address are cut off.',
  ])
})
