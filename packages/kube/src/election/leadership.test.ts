import { expect, it } from 'vitest'
import { WriteRefusedError } from '../client/errors.ts'
import type { Clock } from '../clock.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { LeadershipTerm } from './leadership.ts'

it('A leadership term says for how long it is surely valid', async () => {
  const clock = new VirtualClock()
  const term = new LeadershipTerm(clock, 10_000)
  await clock.advance(4_000)
  expect(term.check()).toBe(6_000)
})

it('A leadership term refuses writes by the clock, even when its timer is late', () => {
  let now = 0
  const stopped: Clock = { now: () => new Date(0), monotonic: () => now, after: () => () => {} }
  const term = new LeadershipTerm(stopped, 10_000)
  now = 10_000
  expect(term.isValid).toBe(false)
  expect(() => term.check()).toThrow(WriteRefusedError)
})

it('A leadership term ends as soon as a check finds that time is up: a tight loop of checks lets no timer run', () => {
  let now = 0
  const starved: Clock = { now: () => new Date(0), monotonic: () => now, after: () => () => {} }
  const term = new LeadershipTerm(starved, 10_000)
  now = 10_000
  expect(() => term.check()).toThrow(WriteRefusedError)
  expect(term.signal.aborted).toBe(true)
})

it('A leadership term that ran out is not brought back by a late renewal, even when its timer is late', () => {
  let now = 0
  const stopped: Clock = { now: () => new Date(0), monotonic: () => now, after: () => () => {} }
  const term = new LeadershipTerm(stopped, 10_000)
  now = 10_000
  term.extend(18_000)
  expect(() => term.check()).toThrow(WriteRefusedError)
})

it('A leadership term aborts its signal when time is up', async () => {
  const clock = new VirtualClock()
  const term = new LeadershipTerm(clock, 10_000)
  await clock.advance(5_000)
  term.extend(15_000)
  await clock.advance(9_999)
  expect(term.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(term.signal.aborted).toBe(true)
})

it('A leadership term is not cut short by a timer that fires a little early', () => {
  let now = 0
  const timers: (() => void)[] = []
  const early: Clock = {
    now: () => new Date(0),
    monotonic: () => now,
    after: (_milliseconds, callback) => {
      timers.push(callback)
      return () => {}
    },
  }
  const term = new LeadershipTerm(early, 10_000)
  now = 9_999.6
  timers.shift()?.()
  expect(term.signal.aborted).toBe(false)
  now = 10_000
  timers.shift()?.()
  expect(term.signal.aborted).toBe(true)
})

it('A leadership term that was ended says why, and leaves no timer', () => {
  const clock = new VirtualClock()
  const term = new LeadershipTerm(clock, 10_000)
  term.end('Another process leads.')
  expect(() => term.check()).toThrow(new WriteRefusedError('Another process leads.'))
  expect(clock.pendingTimers).toBe(0)
})

it('A machine that was suspended finds its term over, though the monotonic clock stood still', async () => {
  let asleepMs = 0
  const clock = new VirtualClock()
  const suspended = { ...bound(clock), now: () => new Date(clock.now().getTime() + asleepMs) }
  const term = new LeadershipTerm(suspended, 10_000)
  expect(term.check()).toBe(10_000)
  asleepMs = 9_000
  expect(term.check()).toBe(1_000)
  asleepMs = 60_000
  expect(() => term.check()).toThrow(WriteRefusedError)
  expect(term.signal.aborted).toBe(true)
})

function bound(clock: VirtualClock) {
  return {
    monotonic: () => clock.monotonic(),
    after: (milliseconds: number, callback: () => void) => clock.after(milliseconds, callback),
  }
}
