import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Deadline, DeadlineHeap } from './deadline-heap.ts'

const operation = fc.record({
  key: fc.integer({ min: 0, max: 40 }).map(String),
  at: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
})

it('The heap gives the deadlines in order of time, then of setting, each key once', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200, size: 'max' }), (operations) => {
      const heap = new DeadlineHeap()
      let plain: Deadline[] = []
      for (const { key, at } of operations) {
        plain = plain.filter((deadline) => deadline.key !== key)
        if (at === undefined) heap.delete(key)
        else {
          heap.set(key, at)
          plain.push({ key, at })
        }
        expect(heap.deadlineOf(key)).toBe(at)
        expect(heap.size).toBe(plain.length)
      }
      // Array sort is stable: equal deadlines stay in the order in which they were set.
      expect(drain(heap)).toEqual(plain.toSorted((one, other) => one.at - other.at))
    }),
  )
})

it('The heap holds nothing once it is cleared, and takes deadlines as before', () => {
  const heap = new DeadlineHeap()
  for (const [at, key] of ['a', 'b', 'c'].entries()) heap.set(key, at)
  heap.clear()
  expect([heap.size, heap.first, heap.deadlineOf('a')]).toEqual([0, undefined, undefined])
  heap.set('b', 2)
  heap.set('a', 1)
  expect(drain(heap)).toEqual([
    { key: 'a', at: 1 },
    { key: 'b', at: 2 },
  ])
})

function drain(heap: DeadlineHeap): Deadline[] {
  const drained: Deadline[] = []
  for (let first = heap.first; first; first = heap.first) {
    drained.push({ key: first.key, at: first.at })
    heap.delete(first.key)
  }
  return drained
}
