import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  canonicalQuantity,
  compareQuantities,
  nanosOf,
  parseQuantity,
  roundedUpQuantity,
} from './quantity.ts'
import answers from './recorded-responses/quantities.json' with { type: 'json' }

test.each(Object.entries(answers))('%s is written as kube-apiserver writes it: %s', (text, expected) => {
  expect(canonicalQuantity(text)).toBe(expected)
})

test.each([
  ['1z', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1kk', "unable to parse quantity's suffix"],
  ['--1', "unable to parse quantity's suffix"],
])('%j is not a quantity', (text, message) => {
  expect(() => canonicalQuantity(text)).toThrow(message)
})

test('The canonical form is the same amount, and its own canonical form', () => {
  const unit = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3')
  fc.assert(
    fc.property(fc.nat(), unit, (amount, suffix) => {
      const text = `${amount}${suffix}`
      const canonical = canonicalQuantity(text)
      expect(parseQuantity(canonical).nanos).toBe(parseQuantity(text).nanos)
      expect(canonicalQuantity(canonical)).toBe(canonical)
    }),
  )
})

test.each([
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1024Mi', '1Gi'],
  ['1000Ki', '1000Ki'],
  ['1.5Gi', '1536Mi'],
  ['1e3', '1e3'],
  ['100000000', '100M'],
  ['0', '0'],
  ['0Mi', '0'],
  ['512Ki', '512Ki'],
  ['1023', '1023'],
  ['0.0001', '1m'],
  ['-0.0015', '-1m'],
])('A ResourceList keeps %s as %s', (text, expected) => {
  expect(roundedUpQuantity(text)).toBe(expected)
})

test('Quantities compare by value', () => {
  expect(compareQuantities('1Gi', '1024Mi')).toBe(0)
  expect(compareQuantities('1G', '1Gi')).toBe(-1)
  expect(compareQuantities('2', '1500m')).toBe(1)
})

test.each([
  ['100m', 100_000_000n],
  ['2', 2_000_000_000n],
  ['1Gi', 2n ** 30n * 1_000_000_000n],
  ['1.5k', 1_500_000_000_000n],
  ['1e3', 1_000_000_000_000n],
  [3, 3_000_000_000n],
  [undefined, 0n],
  ['nonsense', 0n],
])('%s is %d billionths', (text, expected) => {
  expect(nanosOf(text)).toBe(expected)
})
