import type { Schema } from '@portcullis/schema'
import { expect, test } from 'vitest'
import type { JsonObject } from './json-value.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const string: Schema = { type: 'string' }
const item: Schema = {
  type: 'object',
  properties: { name: string, image: string, args: { type: 'array', items: string } },
}
const schema: Schema = {
  type: 'object',
  'x-go': { type: 'v1.Thing' },
  properties: {
    containers: {
      type: 'array',
      items: item,
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    finalizers: { type: 'array', items: string, 'x-kubernetes-patch-strategy': 'merge' },
    rules: { type: 'array', items: item },
    labels: { type: 'object', additionalProperties: string },
    strategy: {
      type: 'object',
      properties: { type: string, params: item },
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
  },
}

const a = { name: 'a', image: '1' }
const b = { name: 'b', image: '1' }
const c = { name: 'c', image: '1' }

function patched(object: JsonObject, patch: unknown): unknown {
  return applyStrategicMergePatch(object, patch, schema).patched
}

test.each([
  ['merges items by their key', [a, b], [{ name: 'b', image: '2' }], [a, { ...b, image: '2' }]],
  ['puts the order of its own items before that of the server', [a, b, c], [c, a], [b, c, a]],
  ['puts new items in front', [a], [c, b], [c, b, a]],
  [
    'keeps a server item before the item that it stood before',
    [a, b, c],
    [{ name: 'b', image: '2' }],
    [a, { ...b, image: '2' }, c],
  ],
  ['deletes an item', [a, b], [{ name: 'a', $patch: 'delete' }], [b]],
  ['replaces the list', [a, b], [c, { $patch: 'replace' }], [c]],
  ['empties the list', [a, b], [{ $patch: 'replace' }], []],
  [
    'replaces lists within items',
    [{ ...a, args: ['x'] }],
    [{ name: 'a', args: ['y'] }],
    [{ ...a, args: ['y'] }],
  ],
])('A strategic merge patch %s', (_, live, changes, result) => {
  expect(patched({ containers: live }, { containers: changes })).toEqual({ containers: result })
})

test('A strategic merge patch sets the order of a list', () => {
  const order = [{ name: 'c' }, { name: 'a' }]
  expect(patched({ containers: [a, b, c] }, { '$setElementOrder/containers': order })).toEqual({
    containers: [b, c, a],
  })
  expect(
    patched(
      { containers: [a, b] },
      { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }], containers: [c] },
    ),
  ).toEqual({ containers: [c, a, b] })
})

test.each([
  ['adds to a list of scalars', { finalizers: ['c', 'a'] }, ['c', 'a', 'b']],
  ['deletes from a list of scalars', { '$deleteFromPrimitiveList/finalizers': ['a'] }, ['b']],
  ['sets the order of a list of scalars', { '$setElementOrder/finalizers': ['b', 'a'] }, ['b', 'a']],
])('A strategic merge patch %s', (_, patch, result) => {
  expect(patched({ finalizers: ['a', 'b'] }, patch)).toEqual({ finalizers: result })
})

test.each([
  ['replaces lists without a strategy', { rules: [a] }, { rules: [b] }, { rules: [b] }],
  ['takes away with null', { labels: { a: '1', b: '2' } }, { labels: { a: null } }, { labels: { b: '2' } }],
  ['brings no nulls', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
  [
    'replaces a map',
    { labels: { a: '1' } },
    { labels: { b: '2', $patch: 'replace' } },
    { labels: { b: '2' } },
  ],
  ['empties a map', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
  [
    'drops directives where there is nothing to direct',
    {},
    { containers: [a, { name: 'b', $patch: 'delete' }] },
    { containers: [a] },
  ],
  [
    'keeps only the keys that it retains',
    { strategy: { type: 'R', params: a } },
    { strategy: { $retainKeys: ['type'], type: 'S' } },
    { strategy: { type: 'S' } },
  ],
  ['of null changes nothing', { labels: {} }, null, { labels: {} }],
])('A strategic merge patch %s', (_, object, patch, result) => {
  expect(patched(object as JsonObject, patch)).toEqual(result)
})

test.each([
  [[], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  [{ $patch: 'frob' }, 500, 'unknown patch type: frob in map: map[$patch:frob]'],
  [{ '$setElementOrder/finalizers': 'x' }, 500, 'expected a []interface {}, but received a string'],
  [
    { '$setElementOrder/finalizers': ['a/b'], finalizers: ['c/d'] },
    500,
    "The order in patch list:\n[c/d]\n doesn't match $setElementOrder list:\n[a/b]\n",
  ],
  [{ $patch: 1 }, 500, 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'],
  [
    { '$setElementOrder/frob': ['x'] },
    500,
    'unable to find api field in struct Thing for the json field "frob"',
  ],
  [{ '$setElementOrder/labels': ['x'] }, 500, 'expected slice or array type, but got: struct'],
  [{ $setElementOrderfrob: ['x'] }, 400, 'invalid patch format of setElementOrder list'],
  [{ $deleteFromPrimitiveListx: ['x'] }, 400, 'invalid patch format of primitive list'],
  [{ finalizers: [1] }, 500, 'list element types are not identical: [[f] [1]]'],
  [{ finalizers: [['x']] }, 500, 'list element types are not identical: [[f] [[x]]]'],
  [{ finalizers: [null] }, 500, 'list element types are not identical: [[f] [<nil>]]'],
  [{ $retainKeys: ['labels'], finalizers: [] }, 400, 'invalid patch format of retainKeys'],
  [{ $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys'],
  [{ containers: [{ image: 'x' }] }, 500, 'map: map[image:x] does not contain declared merge key: name'],
  [
    { containers: [{ name: 'a', $patch: 'merge' }] },
    500,
    'merging lists cannot yet be specified in the patch',
  ],
])('A strategic merge patch %j is refused', (patch, code, message) => {
  expect(() => patched({ containers: [a], finalizers: ['f'] }, patch)).toThrow(
    expect.objectContaining({
      refusal: { code, ...(code === 400 ? { reason: 'BadRequest' } : {}), message },
    }),
  )
})

test('A strategic merge patch is shown as Go prints what is left of it', () => {
  const patch = { labels: { a: 1.5, b: [1, { c: null }], c: true }, '$setElementOrder/finalizers': ['f'] }
  expect(applyStrategicMergePatch({}, patch, schema).shown()).toBe(
    'map[labels:map[a:1.5 b:[1 map[]] c:true]]',
  )
})

test('A strategic merge patch changes neither the object nor the patch', () => {
  const object = { containers: [a, b], labels: { x: '1' } }
  const patch = { containers: [{ name: 'a', $patch: 'delete' }], labels: { $patch: 'replace' } }
  const copies = structuredClone([object, patch])
  patched(object, patch)
  expect([object, patch]).toEqual(copies)
})
