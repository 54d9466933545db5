import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { aConfigMap, aFoo, by, entries, kinds, later, owned } from '../../testing/field-managers.ts'
import type { JsonObject } from '../json-value.ts'
import { PatchRefused, type Refusal } from '../patch-refused.ts'
import { applyConfiguration, updateManagedFields, type Write } from './field-manager.ts'

function applyBy(
  manager: string,
  of: keyof typeof kinds = 'configMap',
  more: Partial<Write & { force: boolean }> = {},
) {
  return { force: false, ...by(manager, of), ...more }
}

function refusal(run: () => unknown): Refusal {
  try {
    run()
  } catch (error) {
    if (error instanceof PatchRefused) return error.refusal
    throw error
  }
  throw new Error('not refused')
}

const live = updateManagedFields(
  undefined,
  aConfigMap({ a: '1', b: '1' }, { uid: 'u', labels: { x: 'y' } }),
  by('probe'),
)

test('A manager that applies a configuration owns what it applies, and nothing else', () => {
  const applied = applyConfiguration(live, aConfigMap({ c: '1' }), applyBy('m'))
  expect(applied['data']).toEqual({ a: '1', b: '1', c: '1' })
  expect(owned(applied)).toEqual({ 'm Apply': { 'f:data': { 'f:c': {} } }, ...owned(live) })
})

test('A manager that applies a configuration shares fields that others applied with the same value, without a new timestamp', () => {
  const applied = applyConfiguration(live, aConfigMap({ a: '1' }), applyBy('m', 'configMap', { now: later }))
  expect(applied['data']).toEqual(live['data'])
  expect(entries(applied)[0]).toEqual({
    manager: 'm',
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:a': {} } },
  })
})

test('A manager that applies another value gets a conflict', () => {
  expect(refusal(() => applyConfiguration(live, aConfigMap({ a: '2' }), applyBy('m')))).toEqual({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "probe" using v1: .data.a',
    details: {
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "probe" using v1', field: '.data.a' },
      ],
    },
  })
})

test('A manager that applies other values gets all conflicts, by manager', () => {
  const both = applyConfiguration(live, aConfigMap({ c: '1' }), applyBy('other'))
  const config = aConfigMap({ a: '2', b: '2', c: '2' })
  expect(refusal(() => applyConfiguration(both, config, applyBy('m'))).message).toBe(
    'Apply failed with 3 conflicts: conflicts with "other":\n- .data.c\nconflicts with "probe" using v1:\n- .data.a\n- .data.b',
  )
})

test('A manager that applies another value gets the subresource of a conflicting manager', () => {
  const write = { subresource: 'status', resetFields: [['metadata'], ['spec']] }
  const created = updateManagedFields(undefined, aFoo({ text: 'a' }), by('one', 'foo'))
  const other = updateManagedFields(created, { ...created, status: { ready: 'a' } }, by('two', 'foo', write))
  const config = { ...aFoo({}), status: { ready: 'b' } }
  expect(refusal(() => applyConfiguration(other, config, applyBy('m', 'foo', write))).message).toBe(
    'Apply failed with 1 conflict: conflict with "two" with subresource "status" using x.test/v1: .status.ready',
  )
})

test('A manager that applies by force takes over', () => {
  const applied = applyConfiguration(live, aConfigMap({ a: '2' }), applyBy('m', 'configMap', { force: true }))
  expect(applied['data']).toEqual({ a: '2', b: '1' })
  expect(owned(applied)).toEqual({
    'm Apply': { 'f:data': { 'f:a': {} } },
    'probe Update': {
      'f:data': { '.': {}, 'f:b': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
    },
  })
})

test('A manager that applies a configuration removes what it no longer applies, unless others own it', () => {
  const first = applyConfiguration(live, aConfigMap({ a: '1', c: '1', d: '1' }), applyBy('m'))
  const second = applyConfiguration(first, aConfigMap({ c: '1' }), applyBy('m'))
  expect(second['data']).toEqual({ a: '1', b: '1', c: '1' })
  expect(owned(second)['m Apply']).toEqual({ 'f:data': { 'f:c': {} } })
})

test('A manager that applies nothing owns nothing', () => {
  const first = applyConfiguration(live, aConfigMap({ c: '1' }), applyBy('m'))
  const second = applyConfiguration(
    first,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    applyBy('m'),
  )
  expect(second).toEqual(live)
})

test('A manager that applies a configuration creates an object that does not exist', () => {
  expect(applyConfiguration(undefined, aConfigMap({ a: '1' }), applyBy('m'))).toEqual(
    aConfigMap(
      { a: '1' },
      {
        managedFields: [
          {
            manager: 'm',
            operation: 'Apply',
            apiVersion: 'v1',
            time: '2030-01-01T00:00:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
    ),
  )
})

test('A manager that applies a configuration first gives an owner to fields without one', () => {
  const applied = applyConfiguration(
    aConfigMap({ a: '1' }, { uid: 'u' }),
    aConfigMap({ b: '1' }),
    applyBy('m'),
  )
  expect(owned(applied)).toEqual({
    'm Apply': { 'f:data': { 'f:b': {} } },
    'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
  })
})

test('A manager that applies as kubectl takes over what kubectl applied client-side before, and keeps its annotation', () => {
  const last = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { a: '1' },
  })
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last }
  const object = updateManagedFields(
    undefined,
    aConfigMap({ a: '1' }, { annotations }),
    by('kubectl-client-side-apply'),
  )
  const config = aConfigMap({ a: '2<3' })
  expect(refusal(() => applyConfiguration(object, config, applyBy('m'))).code).toBe(409)
  expect(applyConfiguration(object, config, applyBy('kubectl'))).toMatchObject({
    data: { a: '2<3' },
    metadata: {
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"apiVersion":"v1","data":{"a":"2\\u003c3"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
      },
    },
  })
})

test.each<[JsonObject, number, string]>([
  [{ ...aConfigMap({}), apiVersion: 'v2' }, 400, 'invalid object type: /v2, Kind=ConfigMap'],
  [{ ...aConfigMap({}), kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
  [{ metadata: { name: 'a' } }, 400, 'invalid object type: /, Kind='],
  [aConfigMap({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
  [
    { ...aConfigMap({}), frob: 1 },
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .frob: field not declared in schema',
  ],
  [
    { ...aConfigMap({}), data: 'x' },
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data: expected map, got &{x}',
  ],
  [
    aConfigMap({ a: 1 }),
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}',
  ],
  [
    aConfigMap({}, { finalizers: ['a/b', 'a/b'] }),
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="a/b"]',
  ],
])('The configuration %j is refused', (config, code, message) => {
  expect(refusal(() => applyConfiguration(live, config, applyBy('m')))).toMatchObject({ code, message })
})

test.each<[JsonObject, string]>([
  [{ count: 'x' }, '.spec.count: expected numeric (int or float), got string'],
  [{ count: true }, '.spec.count: expected numeric (int or float), got bool'],
  [{ count: [1] }, '.spec.count: expected numeric (int or float), got []interface {}'],
  [{ other: 1 }, '.spec.other: field not declared in schema'],
  [{ on: 'y' }, '.spec.on: expected boolean, got &{y}'],
  [{ map: 'x' }, '.spec.map: expected list, got &{x}'],
  [{ map: [null] }, '.spec.map: element 0: associative list with keys may not have a null element'],
  [{ map: ['x'] }, '.spec.map: element 0: associative list with keys may not have non-map elements'],
  [
    { map: [{ value: 'x' }] },
    '.spec.map: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  ],
  [{ map: [{ name: 'a' }, { name: 'a' }] }, '.spec.map: duplicate entries for key [name="a"]'],
  [
    { map: 'y', count: 'x' },
    'errors:\n  .spec.count: expected numeric (int or float), got string\n  .spec.map: expected list, got &{y}',
  ],
])('The spec %j is not a Foo', (spec, problem) => {
  expect(refusal(() => applyConfiguration(undefined, aFoo(spec), applyBy('m', 'foo')))).toEqual({
    code: 500,
    message: `failed to create typed patch object (/f; x.test/v1, Kind=Foo): ${problem}`,
  })
})

const values = fc.constantFrom('1', '2')
const parts = fc.dictionary(fc.constantFrom('p', 'q', 'r'), values)
const specs = fc.record(
  {
    text: values,
    count: fc.nat({ max: 3 }),
    set: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
    list: fc.array(values, { maxLength: 3 }),
    map: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: values }), {
      selector: ({ name }) => name,
    }),
    whole: parts,
    parts,
    free: fc.dictionary(fc.constantFrom('p', 'q'), fc.oneof(values, parts)),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<JsonObject>

test('An apply of the same again changes nothing, not even a time', () => {
  fc.assert(
    fc.property(specs, specs, (first, second) => {
      const live = updateManagedFields(undefined, aFoo(first), by('one', 'foo'))
      const once = applyConfiguration(live, aFoo(second), applyBy('m', 'foo', { force: true }))
      const twice = applyConfiguration(once, aFoo(second), applyBy('m', 'foo', { now: later }))
      expect(twice).toEqual(once)
    }),
  )
})

test('An apply by two managers of separate fields has the same result in either order', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const one = aConfigMap(
        Object.fromEntries(Object.entries(a).map(([name, value]) => [`a-${name}`, value])),
      )
      const two = aConfigMap(
        Object.fromEntries(Object.entries(b).map(([name, value]) => [`b-${name}`, value])),
      )
      const base = updateManagedFields(undefined, aConfigMap({ base: '1' }), by('base'))
      const inTurn = (...configs: [string, JsonObject][]) =>
        configs.reduce((live, [manager, config]) => applyConfiguration(live, config, applyBy(manager)), base)
      expect(inTurn(['one', one], ['two', two])).toEqual(inTurn(['two', two], ['one', one]))
    }),
  )
})

test('An apply leaves a field that another manager applied too when one of them drops it', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const first = applyConfiguration(undefined, aFoo(spec), applyBy('one', 'foo'))
      const both = applyConfiguration(first, aFoo(spec), applyBy('two', 'foo'))
      const left = applyConfiguration(
        both,
        { apiVersion: 'x.test/v1', kind: 'Foo', metadata: { name: 'f' } },
        applyBy('one', 'foo'),
      )
      expect(left['spec']).toEqual(first['spec'])
    }),
  )
})

test('An apply does not change its arguments', () => {
  fc.assert(
    fc.property(specs, specs, (first, second) => {
      const live = updateManagedFields(undefined, aFoo(first), by('one', 'foo'))
      const config = aFoo(second)
      const copies = structuredClone([live, config])
      applyConfiguration(live, config, applyBy('m', 'foo', { force: true }))
      updateManagedFields(live, config, by('m', 'foo'))
      expect([live, config]).toEqual(copies)
    }),
  )
})

test.each<[string, string[], string[], string[]]>([
  ['keeps the order of the live list for what it does not name', ['a', 'b', 'c'], ['b'], ['a', 'b', 'c']],
  ['takes the order of what it names', ['a', 'b'], ['b', 'a'], ['b', 'a']],
  ['puts what is new behind', ['a', 'b'], ['c'], ['a', 'b', 'c']],
  ['puts what is new where it stands', ['a', 'b'], ['c', 'b'], ['a', 'c', 'b']],
])('An apply %s', (_, live, applied, result) => {
  const object = updateManagedFields(undefined, aFoo({ set: live }), by('one', 'foo'))
  const merged = applyConfiguration(object, aFoo({ set: applied }), applyBy('m', 'foo'))
  expect(merged['spec']).toEqual({ set: result })
})
