import { expect, test } from 'vitest'
import { countWrite, hasExpired, isContested, type WriteConflict, windowEnd } from './write-conflict.ts'

const minute = 60_000
const at = (milliseconds: number) => new Date(Date.UTC(2030, 0, 1) + milliseconds)
const contest = (writes: number): WriteConflict => ({ writes, lastWriteAt: at(0) })

test('The first write begins a conflict, and each further one counts', () => {
  expect(countWrite(undefined, at(0))).toEqual({ writes: 1, lastWriteAt: at(0) })
  expect(countWrite(contest(3), at(minute))).toEqual({ writes: 4, lastWriteAt: at(minute) })
})

test.each([
  { writes: 1, is: false },
  { writes: 4, is: false },
  { writes: 5, is: true },
  { writes: 6, is: true },
])('After $writes writes in vain a value counts as contested: $is', ({ writes, is }) => {
  expect(isContested(contest(writes))).toBe(is)
})

test.each([
  { elapsed: 'no time', ms: 0, is: false },
  { elapsed: 'a quarter of an hour', ms: 15 * minute, is: false },
  { elapsed: 'a millisecond more than a quarter of an hour', ms: 15 * minute + 1, is: true },
  { elapsed: 'less than no time, as the clock was set back', ms: -1, is: true },
])('A conflict has expired after $elapsed: $is', ({ ms, is }) => {
  expect(hasExpired(contest(3), at(ms))).toBe(is)
  expect(countWrite(contest(3), at(ms)).writes).toBe(is ? 1 : 4)
})

test.each([
  { elapsed: 'no time', ms: 0, until: at(minute) },
  { elapsed: 'nearly all of it', ms: minute - 1, until: at(minute) },
  { elapsed: 'all of it', ms: minute, until: undefined },
  { elapsed: 'less than no time, as the clock was set back', ms: -1, until: undefined },
])('A window of a minute from the last write ends at $until after $elapsed', ({ ms, until }) => {
  expect(windowEnd(contest(1), minute, at(ms))).toEqual(until)
})
