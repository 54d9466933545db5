import { expect, it } from 'vitest'
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizers.ts'

const ours = 'portcullis.dev/load-balancer'
const theirs = 'example.com/backup'

const withFinalizers = (...finalizers: string[]) => ({ metadata: { resourceVersion: '7', finalizers } })
const bare: { metadata: { resourceVersion: string; deletionTimestamp?: string } } = {
  metadata: { resourceVersion: '7' },
}
const deleted = { metadata: { resourceVersion: '7', deletionTimestamp: '2030-01-01T00:00:00Z' } }

it('A finalizer is added after the others, by a patch that fails if anybody wrote meanwhile', () => {
  expect(addFinalizer(withFinalizers(theirs), ours)).toEqual({
    type: 'merge',
    body: { metadata: { resourceVersion: '7', finalizers: [theirs, ours] } },
  })
})

it('A finalizer is added to an object that has none', () => {
  expect(addFinalizer(bare, ours)?.body).toEqual({ metadata: { resourceVersion: '7', finalizers: [ours] } })
})

it('A finalizer is not added twice', () => {
  expect(addFinalizer(withFinalizers(ours), ours)).toBeUndefined()
})

it('A finalizer is not added to an object that is being deleted, which the server would refuse', () => {
  expect(addFinalizer(deleted, ours)).toBeUndefined()
})

it('A finalizer is removed from between the others, by a patch that fails if anybody wrote meanwhile', () => {
  expect(removeFinalizer(withFinalizers(theirs, ours, 'foregroundDeletion'), ours)).toEqual({
    type: 'merge',
    body: { metadata: { resourceVersion: '7', finalizers: [theirs, 'foregroundDeletion'] } },
  })
})

it('A finalizer that does not exist need not be removed', () => {
  expect(removeFinalizer(withFinalizers(theirs), ours)).toBeUndefined()
  expect(removeFinalizer(bare, ours)).toBeUndefined()
})

it('A finalizer is matched by its whole name', () => {
  expect(hasFinalizer(withFinalizers(theirs, ours), ours)).toBe(true)
  expect(hasFinalizer(withFinalizers(`${ours}-2`), ours)).toBe(false)
  expect(hasFinalizer({}, ours)).toBe(false)
})

it('An object is being deleted once it has a deletionTimestamp', () => {
  expect(isBeingDeleted(deleted)).toBe(true)
  expect(isBeingDeleted(bare)).toBe(false)
})

it('An object without metadata is not being deleted', () => {
  expect(isBeingDeleted({})).toBe(false)
})
