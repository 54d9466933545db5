import { expect, test } from 'vitest'
import { keyOf, keyOfObject, kind, namespaceOf, refOf } from './objects.ts'

test.each([
  { key: 'default/web', ref: { namespace: 'default', name: 'web' }, namespace: 'default' },
  { key: 'a/b', ref: { namespace: 'a', name: 'b' }, namespace: 'a' },
  { key: 'node-1', ref: { name: 'node-1' }, namespace: '' },
])('$key is the key of one object, and names it', ({ key, ref, namespace }) => {
  expect(keyOf(ref)).toBe(key)
  expect(keyOfObject({ metadata: ref })).toBe(key)
  expect(refOf(key)).toEqual(ref)
  expect(namespaceOf(key)).toBe(namespace)
})

test.each([undefined, ''])('An object whose namespace is %j has its name as key', (namespace) => {
  expect(keyOf({ namespace, name: 'node-1' })).toBe('node-1')
})

test('A kind is known by its API version and its name', () => {
  expect(kind('v1', 'Node')).toEqual({ apiVersion: 'v1', kind: 'Node' })
})
