/** The three durations of an election. Give all candidates the same ones. */
export interface LeaseTiming {
  /** For how long others leave a silent leader alone. 15 s by default. */
  readonly leaseDurationMs: number
  /** For how long a leader that cannot renew goes on: shorter, so that it stops before others start. 10 s. */
  readonly renewDeadlineMs: number
  /** Between one look at the Lease and the next, and between renewals. 2 s. */
  readonly retryPeriodMs: number
}

/** Pauses are longer by up to this share of them, so that candidates that started together drift apart. */
const jitter = 0.2

export function leaseTiming({
  leaseDurationMs = 15_000,
  renewDeadlineMs = 10_000,
  retryPeriodMs = 2_000,
}: Partial<LeaseTiming>): LeaseTiming {
  const timing = { leaseDurationMs, renewDeadlineMs, retryPeriodMs }
  for (const [option, value] of Object.entries(timing)) {
    if (!Number.isFinite(value) || value <= 0) {
      throw new RangeError(`${option} is ${value}; give it a number of milliseconds above 0.`)
    }
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    throw new RangeError(
      `leaseDurationMs is ${leaseDurationMs}, but must be above renewDeadlineMs (${renewDeadlineMs}), or another process could start to lead before this one has stopped; raise leaseDurationMs or lower renewDeadlineMs.`,
    )
  }
  const longestPauseMs = retryPeriodMs * (1 + jitter)
  if (renewDeadlineMs <= longestPauseMs) {
    throw new RangeError(
      `renewDeadlineMs is ${renewDeadlineMs}, but must be above ${longestPauseMs} (retryPeriodMs ${retryPeriodMs} and its jitter), or the deadline passes between two renewals; raise renewDeadlineMs or lower retryPeriodMs.`,
    )
  }
  return timing
}

/** @param chance in [0, 1) */
export function pauseMs({ retryPeriodMs }: LeaseTiming, chance: number): number {
  return retryPeriodMs * (1 + jitter * chance)
}

/** One attempt gets half the deadline: a single hung connection does not cost the term. */
export function attemptTimeoutMs({ renewDeadlineMs }: LeaseTiming): number {
  return renewDeadlineMs / 2
}
