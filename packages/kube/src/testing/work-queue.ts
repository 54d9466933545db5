import type { Backoff } from '../backoff.ts'

/** Powers of two: the arithmetic of times is exact, so that times can be compared for equality. */
export const backoff: Backoff = { baseMs: 64, maxMs: 1024, jitter: 0.25 }
export const halfChance = () => 0.5
