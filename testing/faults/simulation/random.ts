import type { Random } from '@portcullis/kube'

/** Randomness that is the same each time for the same seed. */
export function seeded(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mix = Math.imul(state ^ (state >>> 15), 1 | state)
    mix = (mix + Math.imul(mix ^ (mix >>> 7), 61 | mix)) ^ mix
    return ((mix ^ (mix >>> 14)) >>> 0) / 4294967296
  }
}
