/** How long to wait before the n-th try: doubling from `baseMs` up to `maxMs`, less up to `jitter` of it. */
export interface Backoff {
  readonly baseMs: number
  readonly maxMs: number
  /** Random share of the delay (0 to 1), so that many clients that failed together do not retry together. */
  readonly jitter: number
}

/** A source of randomness in [0, 1), passed in so that a failing history can be played again. */
export type Random = () => number

/** @param failures how many tries have failed so far, at least 1 */
export function delayAfter(failures: number, { baseMs, maxMs, jitter }: Backoff, random: Random): number {
  const doubled = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40))
  return doubled * (1 - jitter * random())
}
