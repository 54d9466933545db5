import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  difference,
  equalSets,
  fieldSet,
  has,
  intersection,
  isEmpty,
  pathsOf,
  recursiveDifference,
  union,
} from './field-set.ts'
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts'
import { describePath, field, key, type PathElement } from './path-element.ts'

const elements: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom('a', 'b', 'spec', 'x<y', '😀', 'ﬀ').map(field),
  fc.constantFrom('n', 'm"q').map((value) => key([{ name: 'name', value }])),
  fc.nat({ max: 120 }).map((value) =>
    key([
      { name: 'port', value },
      { name: 'name', value: 'n' },
    ]),
  ),
  fc.oneof(fc.constantFrom('f/1', 'a&b', ''), fc.nat({ max: 120 }), fc.boolean()).map((value) => ({
    kind: 'value' as const,
    value,
  })),
  fc.nat({ max: 12 }).map((index) => ({ kind: 'index' as const, index })),
)
const sets = fc.array(fc.array(elements, { minLength: 1, maxLength: 3 }), { maxLength: 8 }).map(fieldSet)

test('The field sets are written as the API server writes them, in its order', () => {
  const set = fieldSet([
    [field('spec'), field('nums'), { kind: 'value', value: 100 }],
    [field('spec'), field('nums'), { kind: 'value', value: 9 }],
    [
      field('spec'),
      field('ports'),
      key([
        { name: 'protocol', value: 'TCP' },
        { name: 'port', value: 80 },
      ]),
    ],
    [
      field('spec'),
      field('ports'),
      key([
        { name: 'port', value: 8 },
        { name: 'protocol', value: 'TCP' },
      ]),
    ],
    [field('spec'), field('set'), { kind: 'value', value: 'a<b' }],
    [field('spec'), field('set')],
    [field('data')],
  ])
  expect(JSON.stringify(toFieldsV1(set))).toBe(
    JSON.stringify({
      'f:data': {},
      'f:spec': {
        'f:nums': { 'v:9': {}, 'v:100': {} },
        'f:ports': { 'k:{"port":8,"protocol":"TCP"}': {}, 'k:{"port":80,"protocol":"TCP"}': {} },
        'f:set': { '.': {}, 'v:"a\\u003cb"': {} },
      },
    }),
  )
})

test('The field sets round-trip through their JSON', () => {
  fc.assert(
    fc.property(sets, (set) => {
      const written = toFieldsV1(set)
      expect(equalSets(fromFieldsV1(written), set)).toBe(true)
      expect(JSON.stringify(toFieldsV1(fromFieldsV1(written)))).toBe(JSON.stringify(written))
    }),
  )
})

test('The field sets are sets', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const names = (set: typeof a) => new Set([...pathsOf(set)].map(describePath))
      expect(names(union(a, b))).toEqual(new Set([...names(a), ...names(b)]))
      expect(names(intersection(a, b))).toEqual(new Set([...names(a)].filter((name) => names(b).has(name))))
      expect(names(difference(a, b))).toEqual(new Set([...names(a)].filter((name) => !names(b).has(name))))
      expect([...pathsOf(a)].every((path) => has(a, path))).toBe(true)
      expect(isEmpty(recursiveDifference(a, a))).toBe(true)
      expect(isEmpty(difference(recursiveDifference(a, b), difference(a, b)))).toBe(true)
    }),
  )
})

test.each([{ bad: {} }, { x: {} }, { 'f:a': 3 }, { 'v:{': {} }, { 'k:3': {} }, { 'i:x': {} }])(
  'The fields %j are no field set',
  (fields) => {
    expect(() => fromFieldsV1(fields)).toThrow(SyntaxError)
  },
)

test('The field sets leave out fields that a later Kubernetes may have added', () => {
  expect(isEmpty(fromFieldsV1({ 'z:later': {} }))).toBe(true)
})

test('The field sets are shown as people read them', () => {
  const path = [
    field('spec'),
    key([
      { name: 'name', value: 'a"b' },
      { name: 'n', value: 1 },
    ]),
    { kind: 'value', value: 'x' } as const,
    { kind: 'index', index: 2 } as const,
  ]
  expect(describePath(path)).toBe('.spec[n=1,name="a\\"b"][="x"][2]')
})
