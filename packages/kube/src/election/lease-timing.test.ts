import { expect, it } from 'vitest'
import { attemptTimeoutMs, leaseTiming, pauseMs } from './lease-timing.ts'

it('The timing of an election is that of client-go by default', () => {
  expect(leaseTiming({})).toEqual({
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  })
})

it.each([
  { leaseDurationMs: 3, renewDeadlineMs: 2, retryPeriodMs: 1 },
  { leaseDurationMs: 1, renewDeadlineMs: 0.5, retryPeriodMs: 0.25 },
  { leaseDurationMs: 12_002, renewDeadlineMs: 12_001, retryPeriodMs: 10_000 },
])('The timing of an election may be $leaseDurationMs, $renewDeadlineMs and $retryPeriodMs ms', (timing) => {
  expect(leaseTiming(timing)).toEqual(timing)
})

it.each([
  [{ retryPeriodMs: 0 }, 'retryPeriodMs is 0; give it a number of milliseconds above 0.'],
  [{ renewDeadlineMs: -1 }, 'renewDeadlineMs is -1; give it a number of milliseconds above 0.'],
  [{ leaseDurationMs: Number.NaN }, 'leaseDurationMs is NaN; give it a number of milliseconds above 0.'],
  [{ leaseDurationMs: Number.POSITIVE_INFINITY }, 'leaseDurationMs is Infinity; give it'],
  [{ leaseDurationMs: 10_000 }, 'leaseDurationMs is 10000, but must be above renewDeadlineMs (10000)'],
  [
    { leaseDurationMs: 15_000, renewDeadlineMs: 12_000, retryPeriodMs: 10_000 },
    'renewDeadlineMs is 12000, but must be above 12000 (retryPeriodMs 10000 and its jitter)',
  ],
])(
  'The timing of an election may not be %j, for then two could lead or a leader could not renew',
  (timing, says) => {
    expect(() => leaseTiming(timing)).toThrow(RangeError)
    expect(() => leaseTiming(timing)).toThrow(says)
  },
)

it.each([
  { chance: 0, pause: 2_000 },
  { chance: 0.5, pause: 2_200 },
  { chance: 1, pause: 2_400 },
])('The timing of an election makes a pause of $pause ms at the chance $chance', ({ chance, pause }) => {
  expect(pauseMs(leaseTiming({}), chance)).toBe(pause)
})

it('The timing of an election gives an attempt half of the deadline, so that another fits in', () => {
  expect(attemptTimeoutMs(leaseTiming({}))).toBe(5_000)
})
