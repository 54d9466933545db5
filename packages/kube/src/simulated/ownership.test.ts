import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1'
import { expect, test } from 'vitest'
import { managedFieldsAfter } from './ownership.ts'

const [first, second] = ['2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z']

interface WrittenObject {
  readonly apiVersion?: string
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
}

/** Who owns what after objects were written one after the other. */
function ownersAfter(
  ...writes: readonly (readonly [manager: string, object: WrittenObject, time?: string])[]
) {
  let managedFields: ManagedFieldsEntry[] = []
  let before: WrittenObject | undefined
  for (const [manager, object, time = first] of writes) {
    const known = before && { ...before, metadata: { ...before.metadata, managedFields } }
    managedFields = managedFieldsAfter(known, object, { manager, time })
    before = object
  }
  return managedFields
}

const entry = (manager: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation: 'Update',
  time: first,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

test('The managed fields show the creator as owner of all but the identity', () => {
  const object = {
    apiVersion: 'v1',
    metadata: { name: 'a', uid: 'b', labels: { app: 'router' } },
    spec: { replicas: 2 },
  }
  expect(ownersAfter(['ours', object])).toEqual([
    entry(
      'ours',
      { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:spec': { 'f:replicas': {} } },
      { apiVersion: 'v1' },
    ),
  ])
})

test('The managed fields give a field to the manager that changes it, and leave nothing empty behind', () => {
  expect(ownersAfter(['ours', { spec: { a: 1 } }], ['theirs', { spec: { a: 2 } }, second])).toEqual([
    entry('theirs', { 'f:spec': { 'f:a': {} } }, { time: second }),
  ])
})

test('The managed fields leave a field with its owner where another manager writes the same value', () => {
  const writes = [
    ['ours', { spec: { a: [1] } }],
    ['theirs', { spec: { a: [1], b: 1 } }],
  ] as const
  expect(ownersAfter(...writes)).toEqual([
    entry('ours', { 'f:spec': { 'f:a': {} } }),
    entry('theirs', { 'f:spec': { 'f:b': {} } }),
  ])
})

test('The managed fields drop the owner of a field that is gone', () => {
  const labelled = { metadata: { labels: { a: '1' } }, spec: { b: 1 } }
  expect(ownersAfter(['ours', labelled], ['theirs', { spec: { b: 1 } }])).toEqual([
    entry('ours', { 'f:spec': { 'f:b': {} } }),
  ])
})

test('The managed fields keep what was written to the status apart', () => {
  const writes = [
    ['ours', { spec: { a: 1 } }],
    ['ours', { spec: { a: 1 }, status: { b: 1 } }, second],
  ] as const
  expect(ownersAfter(...writes)).toEqual([
    entry('ours', { 'f:spec': { 'f:a': {} } }),
    entry('ours', { 'f:status': { 'f:b': {} } }, { subresource: 'status', time: second }),
  ])
})

test('The managed fields keep items of lists with keys apart, and say who put one there as a whole', () => {
  const [one, two] = [
    { port: 80, protocol: 'TCP' },
    { port: 443, protocol: 'TCP' },
  ]
  const writes = [
    ['ours', { spec: { ports: [one] } }],
    ['theirs', { spec: { ports: [{ ...one, nodePort: 30080 }, two] } }],
  ] as const
  const item = (port: number) => `k:{"port":${port},"protocol":"TCP"}`
  const whole = { '.': {}, 'f:port': {}, 'f:protocol': {} }
  expect(ownersAfter(...writes)).toEqual([
    entry('ours', { 'f:spec': { 'f:ports': { [item(80)]: whole } } }),
    entry('theirs', {
      'f:spec': { 'f:ports': { [item(80)]: { 'f:nodePort': {} }, [item(443)]: whole } },
    }),
  ])
})

test('The managed fields give an undivided map to the manager that changes anything in it', () => {
  const writes = [
    ['ours', { spec: { nodeSelector: { a: '1' } } }],
    ['theirs', { spec: { nodeSelector: { a: '1', b: '2' } } }],
  ] as const
  expect(ownersAfter(...writes)).toEqual([entry('theirs', { 'f:spec': { 'f:nodeSelector': {} } })])
})
