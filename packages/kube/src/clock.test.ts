import { getEventListeners } from 'node:events'
import { expect, it, vi } from 'vitest'
import { sleep, systemClock } from './clock.ts'
import { settle, VirtualClock } from './testing/virtual-clock.ts'

it('The system clock measures durations by a clock that only goes forward', async () => {
  const start = systemClock.monotonic()
  await new Promise<void>((resolve) => systemClock.after(5, resolve))
  expect(systemClock.monotonic()).toBeGreaterThan(start)
})

it('The system clock does not call back once cancelled', async () => {
  systemClock.after(1, () => expect.unreachable())()
  await new Promise<void>((resolve) => systemClock.after(5, resolve))
})

it('The system clock does not take a delay of months for none', async () => {
  const cancel = systemClock.after(90 * 24 * 3_600_000, () => expect.unreachable())
  await new Promise<void>((resolve) => systemClock.after(5, resolve))
  cancel()
})

it('The system clock asks Node for no time that is over already', async () => {
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  try {
    await new Promise<void>((resolve) => systemClock.after(-0.3, resolve))
    expect(setTimer.mock.lastCall?.[1]).toBe(0)
  } finally {
    setTimer.mockRestore()
  }
})

it('A sleep ends after its time and not before', async () => {
  const clock = new VirtualClock()
  let awake = false
  const sleeping = sleep(clock, 100).then(() => (awake = true))
  await clock.advance(99)
  expect(awake).toBe(false)
  await clock.advance(1)
  await sleeping
  expect(awake).toBe(true)
})

it('A sleep is cut short by its signal, and leaves no timer', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const sleeping = sleep(clock, 100, stop.signal)
  stop.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  expect(clock.pendingTimers).toBe(0)
})

it('A sleep does not begin under a signal that has aborted', async () => {
  const clock = new VirtualClock()
  await expect(sleep(clock, 100, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  expect(clock.pendingTimers).toBe(0)
})

it('A sleep leaves no listener on a signal that outlives it', async () => {
  const clock = new VirtualClock()
  const { signal } = new AbortController()
  const sleeping = sleep(clock, 100, signal)
  await settle()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await clock.advance(100)
  await sleeping
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
