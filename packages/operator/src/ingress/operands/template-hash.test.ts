import { expect, test } from 'vitest'
import { hashOf } from './template-hash.ts'

/** The values of FNV-1a with 32 bits, computed apart from this code. */
test.each([
  [{}, '5465b825'],
  [{ a: 'ö' }, 'bf3464d7'],
  [{ a: 70 }, '0fe8747b'],
])('The hash of %j is the same in every version, with all eight digits', (template, hash) => {
  expect(hashOf(template)).toBe(hash)
})
