import { expect, test } from 'vitest'
import { allFields, fieldChanges } from './field-changes.ts'

test('The changes of an object list added, removed and changed fields by their path', () => {
  expect(fieldChanges({ spec: { a: 1, b: 2, c: { d: 3 } } }, { spec: { a: 1, b: 4, e: [5] } })).toEqual([
    { path: 'spec.b', from: 2, to: 4 },
    { path: 'spec.c', from: { d: 3 }, to: undefined },
    { path: 'spec.e', from: undefined, to: [5] },
  ])
})

test('The changes of an object identify list items by their names', () => {
  const before = {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  }
  const after = {
    env: [
      { name: 'B', value: '3' },
      { name: 'A', value: '1' },
    ],
  }
  expect(fieldChanges(before, after)).toEqual([{ path: 'env[B].value', from: '2', to: '3' }])
})

test('The changes of an object quote keys with dots and slashes', () => {
  expect(fieldChanges({ annotations: {} }, { annotations: { 'a.b/c': 'x' } })).toEqual([
    { path: 'annotations["a.b/c"]', from: undefined, to: 'x' },
  ])
})

test('The changes of an object ignore the order of fields', () => {
  expect(fieldChanges({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([])
})

test('The changes of a new object list every field of it', () => {
  expect(allFields({ a: { b: 1, c: [{ name: 'x', value: 2 }], d: [3], e: {} } })).toEqual([
    { path: 'a.b', from: undefined, to: 1 },
    { path: 'a.c[x].name', from: undefined, to: 'x' },
    { path: 'a.c[x].value', from: undefined, to: 2 },
    { path: 'a.d', from: undefined, to: [3] },
  ])
})
