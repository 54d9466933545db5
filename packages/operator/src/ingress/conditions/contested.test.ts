import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { addressesUncontested } from './contested.ts'

const said = (...contested: [string, string][]) => {
  const edge = anIngressController()
  edge.contestedIngresses = new Map(contested)
  return addressesUncontested(edge.snapshot())
}
const message = (...contested: [string, string][]) => said(...contested).message

test('AddressesUncontested is True while no other client overwrites addresses', () => {
  const type = 'AddressesUncontested'
  expect(said()).toMatchObject({ type, status: 'True', reason: 'NobodyElseWrites' })
  expect(said(['shop/b', 'nginx'])).toMatchObject({ type, status: 'False', reason: 'Contested' })
})

test('AddressesUncontested names each other field manager once, in order, with the first Ingress and the number of others', () => {
  expect(message(['shop/b', 'nginx'])).toBe(
    '"nginx" keeps writing other addresses to Ingress shop/b: make sure that only one controller serves their class.',
  )
  expect(message(['shop/b', 'nginx'], ['shop/a', 'haproxy'])).toBe(
    '"haproxy" and "nginx" keep writing other addresses to Ingress shop/a and 1 more: make sure that only one controller serves their class.',
  )
})

test('AddressesUncontested does not quote a writer that is unknown, and names it last', () => {
  expect(message(['shop/a', ''])).toMatch(/^Another client keeps writing other addresses to Ingress shop\/a:/)
  expect(message(['shop/a', ''], ['shop/b', 'nginx'])).toMatch(/^"nginx" and another client keep writing /)
})
