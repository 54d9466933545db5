import { expect, it, test } from 'vitest'
import { compileSelector, selectorText } from './label-selector.ts'

type Requirement = { readonly key: string; readonly operator: string; readonly values?: readonly string[] }

const selects = (matchExpressions: readonly Requirement[], labels: Record<string, string>) =>
  compileSelector({ matchExpressions })?.(labels)

it('A selector without requirements compiles to undefined, since it selects everything', () => {
  expect(compileSelector()).toBeUndefined()
  expect(compileSelector({})).toBeUndefined()
  expect(compileSelector({ matchLabels: {}, matchExpressions: [] })).toBeUndefined()
})

test.each<[Requirement, Record<string, string>, boolean]>([
  [{ key: 'a', operator: 'In', values: ['1', '2'] }, { a: '2' }, true],
  [{ key: 'a', operator: 'In', values: ['1', '2'] }, { a: '3' }, false],
  [{ key: 'a', operator: 'In', values: ['1', ''] }, {}, false],
  [{ key: 'a', operator: 'In', values: [''] }, { a: '' }, true],
  [{ key: 'a', operator: 'NotIn', values: ['1'] }, { a: '1' }, false],
  [{ key: 'a', operator: 'NotIn', values: ['1'] }, { a: '2' }, true],
  [{ key: 'a', operator: 'NotIn', values: ['1'] }, {}, true],
  [{ key: 'a', operator: 'Exists' }, { a: '' }, true],
  [{ key: 'a', operator: 'Exists' }, { b: '' }, false],
  [{ key: 'a', operator: 'DoesNotExist' }, { b: '' }, true],
  [{ key: 'a', operator: 'DoesNotExist' }, { a: '' }, false],
  [{ key: 'constructor', operator: 'Exists' }, {}, false],
])('A selector with %j and labels %j: %j', (requirement, labels, expected) => {
  expect(selects([requirement], labels)).toBe(expected)
})

it('A selector requires all of its labels and expressions', () => {
  const isSelected = compileSelector({
    matchLabels: { shard: 'trusted' },
    matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }],
  })
  expect(isSelected?.({ shard: 'trusted', more: '1' })).toBe(true)
  expect(isSelected?.({ shard: 'trusted', old: '1' })).toBe(false)
  expect(isSelected?.({ shard: 'other' })).toBe(false)
  expect(isSelected?.({})).toBe(false)
})

test.each<[Requirement]>([
  [{ key: 'a', operator: 'In' }],
  [{ key: 'a', operator: 'NotIn', values: [] }],
  [{ key: 'a', operator: 'Exists', values: ['1'] }],
  [{ key: 'a', operator: 'DoesNotExist', values: ['1'] }],
  [{ key: 'a', operator: 'Equals', values: ['1'] }],
])('A selector selects nothing with %j, which no API server would accept', (requirement) => {
  expect(selects([requirement], { a: '1' })).toBe(false)
  expect(selects([requirement], {})).toBe(false)
})

test.each<[string, Parameters<typeof selectorText>[0], string | undefined]>([
  ['nothing where there is none', undefined, undefined],
  ['nothing where everything is selected', { matchLabels: {}, matchExpressions: [] }, undefined],
  ['its labels in one order', { matchLabels: { b: '2', c: '', a: '1' } }, 'a=1,b=2,c='],
  [
    'its expressions as kubectl -l takes them, after the labels',
    {
      matchLabels: { z: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['1', '2'] },
        { key: 'b', operator: 'NotIn', values: ['3'] },
        { key: 'c', operator: 'Exists' },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    },
    'z=1,a in (1,2),b notin (3),c,!d',
  ],
  [
    'an empty set where an expression names no values',
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
    'a in ()',
  ],
])('The text of a selector is %s', (_, selector, text) => {
  expect(selectorText(selector)).toBe(text)
})
