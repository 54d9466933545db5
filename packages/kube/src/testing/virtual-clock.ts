import type { Clock } from '../clock.ts'

/** A clock that stands still until a test turns it. Callbacks run in order of time, then of request. */
export class VirtualClock implements Clock {
  #elapsed = 0
  #timers: { at: number; callback: () => void }[] = []
  readonly #start: number

  constructor(start = new Date('2030-01-01T00:00:00Z')) {
    this.#start = start.getTime()
  }

  now(): Date {
    return new Date(this.#start + this.#elapsed)
  }

  monotonic(): number {
    return this.#elapsed
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, milliseconds), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  get pendingTimers(): number {
    return this.#timers.length
  }

  /** Turns the clock, running what falls due on the way and whatever follows from it. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    await settle()
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      const due = timer
      this.#timers = this.#timers.filter((other) => other !== due)
      this.#elapsed = Math.max(this.#elapsed, due.at)
      due.callback()
      await settle()
    }
    this.#elapsed = end
  }

  #nextDue(end: number) {
    return this.#timers
      .filter(({ at }) => at <= end)
      .reduce<{ at: number; callback: () => void } | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      )
  }
}

/** Lets every promise that can settle do so. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
