/**
 * Time, passed in. Product code never asks the machine for the time itself: tests turn a clock of their own,
 * and a failing history can be played again.
 */
export interface Clock {
  /** The wall clock, for what people and other machines read. It may jump. */
  now(): Date
  /** Milliseconds from a fixed, unknown start. Never jumps: the only clock to measure durations by. */
  monotonic(): number
  /** Calls back once, after that many milliseconds; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The longest delay that a Node timer takes; beyond it setTimeout fires at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = startTimer(milliseconds, callback)
    return () => clearTimeout(timer)
  },
}

/** The same, for what is only looked at in passing: a process that has nothing else to do ends. */
export const unrefClock: Clock = {
  ...systemClock,
  after(milliseconds, callback) {
    const timer = startTimer(milliseconds, callback).unref()
    return () => clearTimeout(timer)
  },
}

function startTimer(milliseconds: number, callback: () => void): NodeJS.Timeout {
  // What was due a moment ago comes at once. Of less than nothing Node 24 and later complain: TimeoutNegativeWarning.
  return setTimeout(callback, Math.min(Math.max(0, milliseconds), longestTimer))
}

/** Waits; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error)
      return
    }
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      cancel()
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
