/**
 * Two managers that overwrite each other's value of one field. Going on would only keep both of them busy, and the API server
 * too: after a few rounds we back off, and try once in a while whether the other still does it.
 */
export interface WriteConflict {
  /** How often we wrote what another manager then changed. */
  readonly writes: number
  readonly lastWriteAt: Date
}

/** How often we overwrite another's value before we back off. */
const rounds = 5

/** A conflict without a write for so long is over: slower than this it does no harm. */
const forgottenAfterMs = 15 * 60_000

export function countWrite(before: WriteConflict | undefined, now: Date): WriteConflict {
  const writes = before === undefined || hasExpired(before, now) ? 0 : before.writes
  return { writes: writes + 1, lastWriteAt: now }
}

export function hasExpired({ lastWriteAt }: WriteConflict, now: Date): boolean {
  return elapsedMs(lastWriteAt, now) > forgottenAfterMs
}

export function isContested({ writes }: WriteConflict): boolean {
  return writes >= rounds
}

/** The end of a window that began with the last write; undefined once it is over. */
export function windowEnd({ lastWriteAt }: WriteConflict, milliseconds: number, now: Date): Date | undefined {
  return elapsedMs(lastWriteAt, now) < milliseconds
    ? new Date(lastWriteAt.getTime() + milliseconds)
    : undefined
}

/** A clock that was set back must not cause a back-off of hours. */
function elapsedMs(since: Date, now: Date): number {
  const elapsed = now.getTime() - since.getTime()
  return elapsed < 0 ? Number.POSITIVE_INFINITY : elapsed
}
