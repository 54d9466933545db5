/**
 * Two who write the same thing and want it different. Going on would only make both of them busy, and the API server
 * with them: after a few rounds we stand back, and try once in a while whether the other still is at it.
 */
export interface WriteConflict {
  /** How often we wrote what somebody then changed. */
  readonly writes: number
  readonly lastWriteAt: Date
}

/** So often we write over another's value before we stand back. */
const rounds = 5

/** Whoever comes back after that has not come back at all: slower than this nobody is hurt by a contest. */
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

/** Until when a moment lasts that began with the last write; undefined once it is over. */
export function windowEnd({ lastWriteAt }: WriteConflict, milliseconds: number, now: Date): Date | undefined {
  return elapsedMs(lastWriteAt, now) < milliseconds
    ? new Date(lastWriteAt.getTime() + milliseconds)
    : undefined
}

/** A clock that was set back must not make anybody stand back for hours. */
function elapsedMs(since: Date, now: Date): number {
  const elapsed = now.getTime() - since.getTime()
  return elapsed < 0 ? Number.POSITIVE_INFINITY : elapsed
}
