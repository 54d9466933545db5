// The packages kube and schema know no other package, so each compares JSON by itself; here both are known.
import { isSameJson } from '@portcullis/kube'
import { isEqualJson } from '@portcullis/schema/internal/json.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

const keys = fc.constantFrom('a', 'b', 'constructor', '__proto__')
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, undefined, true, false, 0, 1, '', 'a'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}))

test('The comparisons of JSON in kube and in schema agree on any two values', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isEqualJson(one, other)).toBe(isSameJson(one, other))
    }),
    { numRuns: 5_000 },
  )
})

test('The comparisons of JSON take a copy with the fields in another order for the same', () => {
  fc.assert(
    fc.property(json, (value) => {
      const copy = reversed(value)
      expect([isSameJson(value, copy), isEqualJson(value, copy)]).toEqual([true, true])
    }),
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, reversed(part)]),
  )
}
