import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { expect, test } from 'vitest'
import { createdObject, deletedObject, isFinalized, patchedObject } from './writes.ts'

const now = new Date('2030-01-01T00:00:00.250Z')
const ours = { manager: 'ours', now }
const later = { manager: 'ours', now: new Date('2030-01-01T00:00:05Z') }
interface Router {
  readonly metadata: ObjectMeta
  readonly spec: { readonly replicas: number; readonly strategy?: string; readonly clusterIP?: string }
}

const made = () => createdObject<Router>({ metadata: { name: 'edge' }, spec: { replicas: 1 } }, 'uid-1', ours)

test('A simulated object has an identity and an owner once it is created', () => {
  expect(made()).toMatchObject({
    metadata: {
      name: 'edge',
      uid: 'uid-1',
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
      managedFields: [{ manager: 'ours', time: '2030-01-01T00:00:00Z' }],
    },
  })
})

test('A simulated object stays the very same one where a patch changes nothing', () => {
  const before = made()
  expect(patchedObject(before, { spec: { replicas: 1 } }, later)).toBe(before)
})

test('A simulated object counts changes of its spec alone as generations', () => {
  const labelled = patchedObject(made(), { metadata: { labels: { a: '1' } } }, later)
  expect(labelled.metadata).toMatchObject({ generation: 1, labels: { a: '1' } })
  expect(patchedObject(labelled, { spec: { replicas: 2 } }, later).metadata.generation).toBe(2)
})

test('A simulated object belongs to nobody where a part of the server writes', () => {
  const before = made()
  const after = patchedObject(before, { spec: { clusterIP: '10.0.0.1' } }, { now })
  expect(after.metadata.managedFields).toEqual(before.metadata.managedFields)
})

test('A simulated object is given defaults after each write', () => {
  const filled = (object: Router): Router => ({
    ...object,
    spec: { strategy: 'Recreate', ...object.spec },
  })
  const created = createdObject<Router>(
    { metadata: { name: 'edge' }, spec: { replicas: 1 } },
    'uid-1',
    ours,
    filled,
  )
  expect(created.spec).toEqual({ strategy: 'Recreate', replicas: 1 })
  expect(patchedObject(created, { spec: { strategy: null } }, later, filled)).toBe(created)
})

test('A simulated object waits for its finalizers when it is deleted, and is gone with the last one', () => {
  expect(deletedObject(made(), now)).toBeUndefined()
  const held = patchedObject(made(), { metadata: { finalizers: ['cloud'] } }, ours)
  const waiting = deletedObject(held, now) ?? held
  expect(waiting.metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z')
  expect(deletedObject(waiting, later.now)).toBe(waiting)
  expect(isFinalized(waiting)).toBe(false)
  expect(isFinalized(patchedObject(waiting, { metadata: { finalizers: [] } }, later))).toBe(true)
})
