import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import type { Key } from '../objects/objects.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { DelayedKeys } from './delayed-keys.ts'

const delay = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  delayMs: fc.double({ min: 0.1, max: 1000, noNaN: true }),
})

it('Delayed keys are due once, at the earliest of their delays, neither before nor after', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delay), async (delays) => {
      const clock = new VirtualClock()
      const due: { key: Key; at: number }[] = []
      const delayed = new DelayedKeys(clock, (key) => due.push({ key, at: clock.monotonic() }))
      for (const { key, delayMs } of delays) delayed.set(key, delayMs)
      expect(clock.pendingTimers).toBe(delays.length === 0 ? 0 : 1)
      await clock.advance(1000)

      for (const { key, delayMs } of delays) {
        const earliest = Math.min(...delays.filter((other) => other.key === key).map((d) => d.delayMs))
        expect(delayMs).toBeGreaterThanOrEqual(earliest)
        expect(due.filter((other) => other.key === key)).toEqual([{ key, at: expect.closeTo(earliest) }])
      }
      expect(due.every(({ at }, i) => i === 0 || at >= (due[i - 1]?.at ?? 0))).toBe(true)
      expect(clock.pendingTimers).toBe(0)
    }),
  )
})

it('Delayed keys are never early, even if timers fire too soon as those of Node do', async () => {
  const virtual = new VirtualClock()
  const hasty: Clock = {
    now: () => virtual.now(),
    monotonic: () => virtual.monotonic(),
    after: (ms, callback) => virtual.after(ms > 1 ? ms / 2 : ms, callback),
  }
  const due: number[] = []
  const delayed = new DelayedKeys(hasty, () => due.push(virtual.monotonic()))
  delayed.set('a', 100)
  await virtual.advance(1000)
  expect(due).toEqual([100])
})

it('Delayed keys can be dropped, and the timer goes with the last of them', () => {
  const clock = new VirtualClock()
  const delayed = new DelayedKeys(clock, () => expect.unreachable())
  delayed.set('a', 10)
  delayed.set('b', 20)
  delayed.delete('a')
  expect(clock.pendingTimers).toBe(1)
  delayed.delete('b')
  expect(clock.pendingTimers).toBe(0)
})

it('Delayed keys can all be dropped at once, and set anew', async () => {
  const clock = new VirtualClock()
  const due: Key[] = []
  const delayed = new DelayedKeys(clock, (key) => due.push(key))
  delayed.set('a', 10)
  delayed.set('b', 20)
  delayed.clear()
  expect(clock.pendingTimers).toBe(0)
  delayed.set('b', 30)
  await clock.advance(29)
  expect(due).toEqual([])
  await clock.advance(1)
  expect(due).toEqual(['b'])
})

it('Delayed keys keep their turn when they are set again for the same time', async () => {
  const clock = new VirtualClock()
  const due: Key[] = []
  const delayed = new DelayedKeys(clock, (key) => due.push(key))
  for (const key of ['a', 'b', 'a']) delayed.set(key, 10)
  await clock.advance(10)
  expect(due).toEqual(['a', 'b'])
})

it('Delayed keys are due when they are set anew for a time at which they were dropped', async () => {
  const clock = new VirtualClock()
  const due: Key[] = []
  const delayed = new DelayedKeys(clock, (key) => due.push(key))
  delayed.set('a', 10)
  delayed.delete('a')
  delayed.set('a', 10)
  await clock.advance(10)
  expect(due).toEqual(['a'])
})

it('Delayed keys leave the timer as it is while the earliest of them does', () => {
  const clock = new VirtualClock()
  const timers: number[] = []
  const counting: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => {
      timers.push(ms)
      return clock.after(ms, callback)
    },
  }
  const delayed = new DelayedKeys(counting, () => expect.unreachable())
  delayed.set('a', 20)
  delayed.set('b', 30)
  delayed.delete('b')
  expect(timers).toEqual([20])
  delayed.set('c', 10)
  expect(timers).toEqual([20, 10])
})
