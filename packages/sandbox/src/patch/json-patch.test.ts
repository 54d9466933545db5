import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyJsonPatch } from './json-patch.ts'
import type { JsonObject } from './json-value.ts'
import { PatchRefused, type Refusal } from './patch-refused.ts'

const object: JsonObject = { a: { b: 'c', 'd/e': 1, 'f~g': 2 }, list: ['x', 'y'], nothing: null }

function refusalOf(patch: unknown, options?: Parameters<typeof applyJsonPatch>[2]): Refusal {
  try {
    applyJsonPatch(object, patch, options)
  } catch (error) {
    if (error instanceof PatchRefused) return error.refusal
    throw error
  }
  throw new Error('not refused')
}

test.each([
  ['adds a key', { op: 'add', path: '/a/z', value: 1 }, { a: { b: 'c', 'd/e': 1, 'f~g': 2, z: 1 } }],
  ['reads ~1 as a slash', { op: 'remove', path: '/a/d~1e' }, { a: { b: 'c', 'f~g': 2 } }],
  ['reads ~0 as a tilde', { op: 'remove', path: '/a/f~0g' }, { a: { b: 'c', 'd/e': 1 } }],
  ['inserts into a list', { op: 'add', path: '/list/1', value: 'i' }, { list: ['x', 'i', 'y'] }],
  ['appends to a list', { op: 'add', path: '/list/-', value: 'i' }, { list: ['x', 'y', 'i'] }],
  ['appends at the length', { op: 'add', path: '/list/2', value: 'i' }, { list: ['x', 'y', 'i'] }],
  ['counts from the end', { op: 'remove', path: '/list/-1' }, { list: ['x'] }],
  ['adds null where no value is given', { op: 'add', path: '/nothing' }, { nothing: null }],
  ['replaces a key that is not there', { op: 'replace', path: '/new', value: 1 }, { new: 1 }],
  ['moves', { op: 'move', from: '/a/b', path: '/b' }, { a: { 'd/e': 1, 'f~g': 2 }, b: 'c' }],
  ['copies', { op: 'copy', from: '/list', path: '/copy' }, { copy: ['x', 'y'] }],
  ['copies what is not there as null', { op: 'copy', from: '/none', path: '/copy' }, { copy: null }],
  ['tests', { op: 'test', path: '/list', value: ['x', 'y'] }, {}],
  ['takes what is not there for null', { op: 'test', path: '/none', value: null }, {}],
  ['leaves out what stands before the first slash', { op: 'add', path: 'what/ever', value: 1 }, { ever: 1 }],
])('A JSON patch %s', (_, operation, changes) => {
  expect(applyJsonPatch(object, [operation]).patched).toEqual({ ...object, ...changes })
})

test.each([
  ['a failed test', { op: 'test', path: '/a/b', value: 'x' }],
  ['a path through nothing', { op: 'add', path: '/none/x', value: 1 }],
  ['a path through a scalar', { op: 'add', path: '/a/b/x', value: 1 }],
  ['a path through null', { op: 'add', path: '/nothing/x', value: 1 }],
  ['the removal of what is not there', { op: 'remove', path: '/none' }],
  ['an index beyond the list', { op: 'add', path: '/list/3', value: 1 }],
  ['a replacement beyond the list', { op: 'replace', path: '/list/2', value: 1 }],
  ['an index that is no number', { op: 'add', path: '/list/x', value: 1 }],
  ['a move from nowhere', { op: 'move', from: '/none', path: '/x' }],
  ['the root as a scalar', { op: 'replace', path: '', value: 3 }],
  ['the root as a place to add to', { op: 'add', path: '', value: {} }],
  ['an operation without a name', { path: '/a' }],
  ['an operation without a path', { op: 'remove' }],
  ['an unknown operation', { op: 'frob', path: '/a' }],
])('A JSON patch is refused for %s, without saying why', (_, operation) => {
  expect(refusalOf([operation])).toEqual({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  })
})

test.each([
  [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
  [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  [
    [{ op: 1 }],
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
  ],
  [
    [{ op: 'remove', path: 3 }],
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
  ],
])('A JSON patch that reads %j is a bad request', (patch, message) => {
  expect(refusalOf(patch)).toEqual({ code: 400, reason: 'BadRequest', message })
})

test('A JSON patch is decoded less strictly where nobody asks for validation', () => {
  expect(refusalOf({}, { fieldValidation: 'Ignore' }).message).toBe(
    'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  )
  expect(refusalOf([{ op: 1 }], { fieldValidation: 'Ignore' }).code).toBe(422)
})

test('A JSON patch of null changes nothing', () => {
  expect(applyJsonPatch(object, null).patched).toEqual(object)
})

test('A JSON patch reports unknown fields', () => {
  const patch = [{ op: 'test', path: '/list/0', value: 'x', frob: 1 }]
  expect(applyJsonPatch(object, patch).strictErrors).toEqual(['json patch unknown field "[0].frob"'])
  expect(applyJsonPatch(object, patch, { fieldValidation: 'Ignore' }).strictErrors).toEqual([])
})

test('A JSON patch of more than 10000 operations is too large', () => {
  const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a/b', value: 'c' }))
  expect(refusalOf(patch)).toEqual({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  })
})

test('A JSON patch may not copy more than 3 MiB', () => {
  const big = { text: 'x'.repeat(2 * 1024 * 1024) }
  const copy = { op: 'copy', from: '/text', path: '/copy' }
  expect(() => applyJsonPatch(big, [copy])).not.toThrow()
  expect(() => applyJsonPatch(big, [copy, copy])).toThrow(PatchRefused)
})

test('A JSON patch cannot reach inherited properties', () => {
  const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]).patched
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
  expect(Object.keys(patched as JsonObject)).toEqual(['__proto__'])
  expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/x', value: 1 }])).toThrow(PatchRefused)
})

test('A JSON patch tests strings as they are serialized: Go escapes <, > and &', () => {
  const operation = [{ op: 'test', path: '/a', value: '1<2' }]
  const written = JSON.stringify(operation)
  expect(() => applyJsonPatch({ a: '1<2' }, operation, { text: written })).toThrow(PatchRefused)
  expect(() =>
    applyJsonPatch({ a: '1<2' }, operation, { text: written.replace('<', '\\u003c') }),
  ).not.toThrow()
})

test('A JSON patch shows the object that it changed with sorted keys, and the rest as it was', () => {
  const before = { kind: 'K', b: { z: '<', a: 1 }, a: { d: 1, c: 2 } }
  const { shown } = applyJsonPatch(before, [{ op: 'test', path: '/a/c', value: 2 }])
  expect(shown()).toBe('{"a":{"c":2,"d":1},"b":{"z":"\\u003c","a":1},"kind":"K"}')
})

test('A JSON patch does not change its argument, and restores it when undone', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<never>)
  fc.assert(
    fc.property(json, fc.string(), fc.jsonValue(), (before, key, value) => {
      fc.pre(!Object.hasOwn(before, key))
      const copy = structuredClone(before)
      const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const patched = applyJsonPatch(before, [
        { op: 'add', path, value },
        { op: 'remove', path },
      ]).patched
      expect(patched).toEqual(before)
      expect(before).toEqual(copy)
    }),
  )
})
