import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyMergePatch, isSameJson, mergePatchBetween } from './merge-patch.ts'

test('A patch names what differs and nothing else', () => {
  const before = { a: 1, kept: { deep: true, other: [1] }, gone: 'x' }
  const after = { a: 2, kept: { deep: true, other: [1, 2] }, new: { b: 3 } }
  expect(mergePatchBetween(before, after)).toEqual({
    a: 2,
    kept: { other: [1, 2] },
    gone: null,
    new: { b: 3 },
  })
})

test('Equal objects have no patch, whatever the order of fields; undefined counts as absent', () => {
  expect(
    mergePatchBetween({ a: 1, b: { c: [{ d: 1, e: 2 }] } }, { b: { c: [{ e: 2, d: 1 }] }, a: 1 }),
  ).toBeUndefined()
  expect(mergePatchBetween({ a: undefined }, {})).toBeUndefined()
  expect(mergePatchBetween({}, { a: undefined })).toBeUndefined()
  expect(mergePatchBetween({ a: 1 }, { a: undefined })).toEqual({ a: null })
})

test('A list is replaced whole, and an object replaces what is not an object', () => {
  expect(applyMergePatch({ list: [1, 2], text: 'x' }, { list: [3], text: { a: 1 } })).toEqual({
    list: [3],
    text: { a: 1 },
  })
})

test('A null removes a field, also below an object that was absent', () => {
  expect(applyMergePatch({ a: 1, b: { c: 1, d: 2 } }, { a: null, b: { c: null }, e: { f: null } })).toEqual({
    b: { d: 2 },
    e: {},
  })
})

test('Neither the object nor the patch is changed', () => {
  const object = Object.freeze({ a: Object.freeze({ b: 1 }) })
  const patch = Object.freeze({ a: Object.freeze({ b: 2 }) })
  expect(applyMergePatch(object, patch)).toEqual({ a: { b: 2 } })
})

/** Without null: a merge patch cannot set it. Nor does anything here have a field of that name. */
const json = fc.object({
  values: [fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer())],
  key: fc.constantFrom('a', 'b', 'c', 'toString'),
})

test('The patch between any two objects turns one into the other', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const patch = mergePatchBetween(before, after)
      expect(applyMergePatch(before, patch ?? {})).toEqual(after)
      expect(patch === undefined).toBe(isSameJson(before, after))
    }),
  )
})

test('A field that is undefined counts as absent: JSON has no undefined', () => {
  expect(isSameJson({}, { a: undefined })).toBe(true)
  expect(isSameJson({ a: undefined }, {})).toBe(true)
  expect(isSameJson({ a: undefined }, { a: 1 })).toBe(false)
  expect(isSameJson({ a: 1 }, { a: undefined })).toBe(false)
})

test.each([
  [[], ''],
  ['', []],
  [[], {}],
  [{}, []],
  [{}, null],
  [null, {}],
  [{}, { constructor: 1 }],
  [{ constructor: 1 }, {}],
])('%j and %j are not the same', (one, other) => {
  expect(isSameJson(one, other)).toBe(false)
})

test('A value that changes its shape is written whole', () => {
  expect(mergePatchBetween({ a: { b: 1 } }, { a: [1] })).toEqual({ a: [1] })
  expect(mergePatchBetween({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } })
})
