import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withSortedKeys } from './sorted-keys.ts'

test('The order in which keys were written does not show, at any depth', () => {
  const sorted = withSortedKeys({ b: [{ d: 1, c: 2 }], a: null })
  expect(JSON.stringify(sorted)).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
})

test('Nothing but the order of keys changes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(withSortedKeys(value)).toEqual(value)
    }),
  )
})
