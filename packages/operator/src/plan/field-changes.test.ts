import { expect, test } from 'vitest'
import { allFields, fieldChanges } from './field-changes.ts'

test('fields that came, went and changed are told by their path', () => {
  expect(fieldChanges({ spec: { a: 1, b: 2, c: { d: 3 } } }, { spec: { a: 1, b: 4, e: [5] } })).toEqual([
    { path: 'spec.b', from: 2, to: 4 },
    { path: 'spec.c', from: { d: 3 }, to: undefined },
    { path: 'spec.e', from: undefined, to: [5] },
  ])
})

test('items of a list are told apart by their names', () => {
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

test('keys with dots and slashes are quoted', () => {
  expect(fieldChanges({ annotations: {} }, { annotations: { 'a.b/c': 'x' } })).toEqual([
    { path: 'annotations["a.b/c"]', from: undefined, to: 'x' },
  ])
})

test('what differs in order of fields only does not differ', () => {
  expect(fieldChanges({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([])
})

test('what is new is told field by field, down to the last', () => {
  expect(allFields({ a: { b: 1, c: [{ name: 'x', value: 2 }], d: [3], e: {} } })).toEqual([
    { path: 'a.b', from: undefined, to: 1 },
    { path: 'a.c[x].name', from: undefined, to: 'x' },
    { path: 'a.c[x].value', from: undefined, to: 2 },
    { path: 'a.d', from: undefined, to: [3] },
  ])
})
