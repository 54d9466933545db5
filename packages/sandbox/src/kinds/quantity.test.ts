import { expect, test } from 'vitest'
import { canonicalQuantity, compareQuantities } from './quantity.ts'

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
  ['many', 'many'],
])('%s is written %s', (given, written) => {
  expect(canonicalQuantity(given)).toBe(written)
})

test('amounts compare by what they mean', () => {
  expect(compareQuantities('1Gi', '1024Mi')).toBe(0)
  expect(compareQuantities('1G', '1Gi')).toBe(-1)
  expect(compareQuantities('2', '1500m')).toBe(1)
})
