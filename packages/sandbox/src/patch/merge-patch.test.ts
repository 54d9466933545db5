import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from './json-value.ts'
import { applyMergePatch } from './merge-patch.ts'

test.each([
  ['sets', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['goes into objects', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  ['takes away with null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
  ['needs nothing to take away', { a: 1 }, { b: null }, { a: 1 }],
  ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['brings no nulls in new objects', { a: 1 }, { b: { c: null, d: 1 } }, { a: 1, b: { d: 1 } }],
  ['brings no nulls in objects of new lists', {}, { b: [{ c: null, d: 1 }, null] }, { b: [{ d: 1 }, null] }],
  [
    'keeps the nulls of a list in the place of an object',
    { a: {} },
    { a: [{ b: null }] },
    { a: [{ b: null }] },
  ],
  ['puts an object in the place of a scalar', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
])('A merge patch %s', (_, object, patch, result) => {
  expect(applyMergePatch(object as JsonObject, patch).patched).toEqual(result)
})

test.each([
  [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['s', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  [3, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
  [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  [null, 'Invalid JSON Patch'],
])('A merge patch that reads %j is a bad request', (patch, message) => {
  expect(() => applyMergePatch({}, patch)).toThrow(
    expect.objectContaining({ refusal: { code: 400, reason: 'BadRequest', message } }),
  )
})

test('A merge patch cannot reach inherited properties', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"polluted":true}}')
  const patched = applyMergePatch({}, patch).patched
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
  expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true}}')
})

test('A merge patch changes nothing when it is applied again, and does not change its argument', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<never>)
  fc.assert(
    fc.property(json, json, (object, patch) => {
      const copy = structuredClone(object)
      // Twice, since a list in the place of an object keeps its nulls only the first time.
      const once = applyMergePatch(object, patch).patched as JsonObject
      const twice = applyMergePatch(once, patch).patched as JsonObject
      expect(applyMergePatch(twice, patch).patched).toEqual(twice)
      expect(object).toEqual(copy)
    }),
  )
})
