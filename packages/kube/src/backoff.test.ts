import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Backoff, delayAfter } from './backoff.ts'

const anyBackoff: fc.Arbitrary<Backoff> = fc.record({
  baseMs: fc.integer({ min: 1, max: 10_000 }),
  maxMs: fc.integer({ min: 10_000, max: 3_600_000 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
})
const anyFailures = fc.integer({ min: 1, max: 10_000 })
const anyChance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const noChance = () => 0

it('The delay after the first failure is the base', () => {
  fc.assert(fc.property(anyBackoff, (backoff) => delayAfter(1, backoff, noChance) === backoff.baseMs))
})

it('The delay doubles with each further failure, up to the maximum', () => {
  fc.assert(
    fc.property(anyBackoff, anyFailures, (backoff, failures) => {
      const delay = delayAfter(failures, backoff, noChance)
      const next = delayAfter(failures + 1, backoff, noChance)
      expect(next).toBe(Math.min(backoff.maxMs, 2 * delay))
    }),
  )
})

it('The delay reaches the maximum and stays there, however many failures there are', () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 40, max: Number.MAX_SAFE_INTEGER }), (backoff, failures) => {
      expect(delayAfter(failures, backoff, noChance)).toBe(backoff.maxMs)
    }),
  )
})

it('Jitter shortens the delay, by no more than the jitter allows', () => {
  fc.assert(
    fc.property(anyBackoff, anyFailures, anyChance, (backoff, failures, chance) => {
      const longest = delayAfter(failures, backoff, noChance)
      const delay = delayAfter(failures, backoff, () => chance)
      expect(delay).toBeLessThanOrEqual(longest)
      expect(delay).toBeGreaterThanOrEqual(longest * (1 - backoff.jitter))
      if (backoff.jitter > 0.01 && chance > 0.01) expect(delay).toBeLessThan(longest)
    }),
  )
})
