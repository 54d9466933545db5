import { expect, it } from 'vitest'
import { OwnStatusUpdates } from './own-status-updates.ts'
import type { Snapshot } from './snapshot.ts'

const controller = (resourceVersion: string, more: object = {}): Snapshot['controller'] => ({
  metadata: { namespace: 'n', name: 'edge', uid: 'u', resourceVersion },
  ...more,
})
const status = { domain: 'edge.example.com' }
const before = controller('1', { spec: { replicas: 1 } })
const after = (more: object = {}) => controller('2', { spec: { replicas: 1 }, status, ...more })
const update = (object: Snapshot['controller'], previous = before) =>
  ({ type: 'updated', object, previous }) as const

it('An update that shows just the published status is our own, however often the predicate is asked', () => {
  const updates = new OwnStatusUpdates()
  updates.expect(before, status)
  for (let times = 0; times < 2; times++) expect(updates.isOwnStatusUpdate(update(after()))).toBe(true)
})

it.each([
  ['the spec', { spec: { replicas: 2 } }],
  ['the status', { status: { domain: 'other.example.com' } }],
  ['the annotations', { metadata: { ...after().metadata, annotations: { a: 'b' } } }],
])('An update in which another client has changed %s as well is not our own', (_, more) => {
  const updates = new OwnStatusUpdates()
  updates.expect(before, status)
  expect(updates.isOwnStatusUpdate(update(after(more)))).toBe(false)
})

it('An update of another object of the cache, or of one whose status update failed, is not our own', () => {
  const updates = new OwnStatusUpdates()
  updates.expect(before, status)
  expect(updates.isOwnStatusUpdate(update(after(), { ...before }))).toBe(false)
  updates.cancel(before)
  expect(updates.isOwnStatusUpdate(update(after()))).toBe(false)
})

it('A controller that is created or deleted is never taken for our own status update', () => {
  const updates = new OwnStatusUpdates()
  updates.expect(before, status)
  expect(updates.isOwnStatusUpdate({ type: 'added', object: before })).toBe(false)
  expect(updates.isOwnStatusUpdate({ type: 'deleted', object: before })).toBe(false)
})
