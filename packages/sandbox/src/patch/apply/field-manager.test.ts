import { expect, test } from 'vitest'
import { aConfigMap, aFoo, by, entries, later, now, owned } from '../../testing/field-managers.ts'
import type { JsonObject } from '../json-value.ts'
import { updateManagedFields } from './field-manager.ts'
import { withoutIdleTimestamps } from './idle-timestamps.ts'
import { managedFieldsAfterScale, managedFieldsOfScale } from './scale.ts'

test('A manager that creates an object owns what it creates, but not what every object has', () => {
  const object = aConfigMap(
    { k: 'v' },
    { labels: { x: 'y' }, finalizers: ['f/1'], uid: 'u', resourceVersion: '1' },
  )
  const created = updateManagedFields(undefined, object, by('probe'))
  expect(entries(created)).toEqual([
    {
      manager: 'probe',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2030-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:data': { '.': {}, 'f:k': {} },
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"f/1"': {} }, 'f:labels': { '.': {}, 'f:x': {} } },
      },
    },
  ])
})

test('A manager owns a struct only through its fields, and what a pointer leads to as a whole too', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: {
      type: 'ClusterIP',
      selector: { a: 'b' },
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      affinity: { seconds: 1 },
    },
    status: {},
  }
  expect(owned(updateManagedFields(undefined, object, by('m', 'service')))).toEqual({
    'm Update': {
      'f:spec': {
        'f:affinity': { '.': {}, 'f:seconds': {} },
        'f:ports': {
          '.': {},
          'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} },
        },
        'f:selector': {},
        'f:type': {},
      },
    },
  })
})

test('A manager owns every level of a custom resource', () => {
  const created = updateManagedFields(undefined, aFoo({ text: 'a', free: { a: { b: [1] } } }), by('m', 'foo'))
  expect(owned(created)).toEqual({
    'm Update': {
      'f:spec': { '.': {}, 'f:free': { '.': {}, 'f:a': { '.': {}, 'f:b': {} } }, 'f:text': {} },
    },
  })
})

test('A manager takes over what it changes, and loses what it removes', () => {
  const live = updateManagedFields(undefined, aConfigMap({ a: '1', b: '1', c: '1' }), by('one'))
  const updated = updateManagedFields(
    live,
    aConfigMap({ a: '2', b: '1' }),
    by('two', 'configMap', { now: later }),
  )
  expect(owned(updated)).toEqual({
    'one Update': { 'f:data': { '.': {}, 'f:b': {} } },
    'two Update': { 'f:data': { 'f:a': {} } },
  })
  expect(entries(updated).map(({ time }) => time)).toEqual(['2030-01-01T00:00:00Z', '2030-01-01T00:01:00Z'])
})

test('A manager leaves no trace if it changes nothing', () => {
  const live = updateManagedFields(undefined, aConfigMap({ a: '1' }), by('one'))
  expect(updateManagedFields(live, aConfigMap({ a: '1' }), by('two', 'configMap', { now: later }))).toEqual(
    live,
  )
})

test('A manager of a subresource owns nothing outside of it', () => {
  const live = updateManagedFields(undefined, aFoo({ text: 'a' }), by('one', 'foo'))
  const body = { ...live, spec: { text: 'b' }, status: { ready: 'yes' } }
  const write = by('two', 'foo', { subresource: 'status', resetFields: [['metadata'], ['spec']] })
  expect(owned(updateManagedFields(live, body, write))).toEqual({
    'one Update': { 'f:spec': { '.': {}, 'f:text': {} } },
    'two Update status': { 'f:status': { '.': {}, 'f:ready': {} } },
  })
})

test.each([[[]], [[{}]]])('A manager clears all owners by setting them to %j', (managedFields) => {
  const live = updateManagedFields(undefined, aConfigMap({ a: '1' }), by('one'))
  const reset = updateManagedFields(live, aConfigMap({ a: '2' }, { uid: 'u', managedFields }), by('two'))
  expect(entries(reset)).toEqual([])
  expect(entries(updateManagedFields(reset, aConfigMap({ a: '3' }), by('three')))).toEqual([])
})

test.each([
  [[{ manager: 'x', operation: 'Frob', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]],
  [[{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2', fieldsV1: {} }]],
  [
    [
      {
        manager: 'x',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { bad: {} },
      },
    ],
  ],
  [null],
])('A manager changes no owners by setting them to %j', (managedFields) => {
  const live = updateManagedFields(undefined, aConfigMap({ a: '1' }), by('one'))
  expect(updateManagedFields(live, aConfigMap({ a: '1' }, { managedFields }), by('two'))).toEqual(live)
})

test('A manager may set the managedFields itself', () => {
  const live = updateManagedFields(undefined, aConfigMap({ a: '1' }), by('one'))
  const managedFields = [
    {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    },
  ]
  const updated = updateManagedFields(live, aConfigMap({ a: '1' }, { managedFields }), by('two'))
  expect(entries(updated)).toEqual(managedFields)
})

test('A manager is one of ten at most: the oldest are merged', () => {
  let object = updateManagedFields(undefined, aConfigMap({ k0: 'x' }), by('m0'))
  const data: JsonObject = { k0: 'x' }
  for (let i = 1; i < 12; i++) {
    data[`k${i}`] = 'x'
    const at = new Date(now.getTime() + i * 1000)
    object = updateManagedFields(object, aConfigMap({ ...data }), by(`m${i}`, 'configMap', { now: at }))
  }
  expect(entries(object)).toHaveLength(10)
  expect(owned(object)['ancient-changes Update']).toEqual({
    'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} },
  })
  expect(entries(object)[0]).toMatchObject({ manager: 'ancient-changes', time: '2030-01-01T00:00:02Z' })
})

const object = updateManagedFields(undefined, aConfigMap({ a: '1' }, { resourceVersion: '1' }), by('one'))
const again = updateManagedFields(undefined, aConfigMap({ a: '1' }), by('one', 'configMap', { now: later }))

test('The timestamps of managedFields stay where nothing else has changed', () => {
  expect(entries(withoutIdleTimestamps(object, again))).toEqual(entries(object))
})

test('The timestamps of managedFields move with a change', () => {
  const changed = { ...again, data: { a: '2' } }
  expect(withoutIdleTimestamps(object, changed)).toBe(changed)
})

test('A manager that writes the scale subresource owns the replicas of the scaled object', () => {
  const parent = { apiVersion: 'apps/v1', replicasPath: ['spec', 'replicas'] }
  const entry = {
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
  }
  const before = [
    {
      ...entry,
      manager: 'x',
      time: '2030-01-01T00:00:00Z',
      fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
    },
  ]
  const inScale = managedFieldsOfScale(before, parent)
  expect(inScale).toEqual([
    {
      ...entry,
      manager: 'x',
      apiVersion: 'autoscaling/v1',
      time: '2030-01-01T00:00:00Z',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
  ])
  const scaled = [{ ...inScale[0], manager: 's', subresource: 'scale' }]
  expect(managedFieldsAfterScale(before, scaled, parent)).toEqual([
    { ...entry, manager: 's', fieldsV1: { 'f:spec': { 'f:replicas': {} } }, subresource: 'scale' },
    { ...entry, manager: 'x', time: '2030-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:paused': {} } } },
  ])
})
