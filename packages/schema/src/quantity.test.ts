import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import answers from './answers/quantities.json' with { type: 'json' }
import { canonicalQuantity, parseQuantity } from './quantity.ts'

test.each(Object.entries(answers))('%s is written as kube-apiserver writes it: %s', (text, expected) => {
  expect(canonicalQuantity(text)).toBe(expected)
})

test.each([
  ['1z', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1kk', "unable to parse quantity's suffix"],
  ['--1', "unable to parse quantity's suffix"],
])('%j is no quantity', (text, message) => {
  expect(() => canonicalQuantity(text)).toThrow(message)
})

test('the canonical form is the same amount, and its own canonical form', () => {
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
