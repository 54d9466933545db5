import type { Clock } from '../clock.ts'

export class SilenceError extends Error {
  override readonly name = 'SilenceError'
  constructor(silenceMs: number) {
    super(`Nothing was heard from a watch for ${silenceMs / 1000} s: its connection is dead`)
  }
}

/**
 * Aborts a watch from which nothing comes any more. A half-open connection says nothing by itself: the machine at
 * the other end is gone, or something in between has forgotten us.
 */
export class SilenceAlarm {
  readonly #clock: Clock
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
  #silenceMs: number
  #lastHeard: number
  #cancelTimer: () => void

  constructor(clock: Clock, silenceMs: number, outer: AbortSignal) {
    this.#clock = clock
    this.#silenceMs = silenceMs
    this.#outer = outer
    this.#lastHeard = clock.monotonic()
    this.#cancelTimer = clock.after(silenceMs, this.#check)
    outer.addEventListener('abort', this.#onOuterAbort)
    if (outer.aborted) this.#onOuterAbort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  heard(): void {
    this.#lastHeard = this.#clock.monotonic()
  }

  /** From now on so much silence is nothing unusual. */
  allow(silenceMs: number): void {
    this.#silenceMs = silenceMs
  }

  stop(): void {
    this.#cancelTimer()
    this.#outer.removeEventListener('abort', this.#onOuterAbort)
  }

  /** The timer is set anew only when it fires, not on each event: events come by the thousand. */
  readonly #check = () => {
    const remaining = this.#lastHeard + this.#silenceMs - this.#clock.monotonic()
    if (remaining <= 0) this.#controller.abort(new SilenceError(this.#silenceMs))
    else this.#cancelTimer = this.#clock.after(remaining, this.#check)
  }

  readonly #onOuterAbort = () => this.#controller.abort(this.#outer.reason)
}
