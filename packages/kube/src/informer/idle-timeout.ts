import type { Clock } from '../clock.ts'

export class IdleTimeoutError extends Error {
  override readonly name = 'IdleTimeoutError'
  constructor(idleTimeoutMs: number) {
    super(`Nothing was heard from a watch for ${idleTimeoutMs / 1000} s: its connection is dead`)
  }
}

/**
 * Aborts a watch from which nothing comes any more. A half-open connection shows nothing by itself: the machine at
 * the other end is gone, or a proxy in between has dropped the connection.
 */
export class IdleTimeout {
  readonly #clock: Clock
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
  #idleTimeoutMs: number
  #lastHeard: number
  #cancelTimer: () => void

  constructor(clock: Clock, idleTimeoutMs: number, outer: AbortSignal) {
    this.#clock = clock
    this.#idleTimeoutMs = idleTimeoutMs
    this.#outer = outer
    this.#lastHeard = clock.monotonic()
    this.#cancelTimer = clock.after(idleTimeoutMs, this.#check)
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
  allow(idleTimeoutMs: number): void {
    this.#idleTimeoutMs = idleTimeoutMs
  }

  stop(): void {
    this.#cancelTimer()
    this.#outer.removeEventListener('abort', this.#onOuterAbort)
  }

  /** The timer is set anew only when it fires, not on each event: events come by the thousand. */
  readonly #check = () => {
    const remaining = this.#lastHeard + this.#idleTimeoutMs - this.#clock.monotonic()
    if (remaining <= 0) this.#controller.abort(new IdleTimeoutError(this.#idleTimeoutMs))
    else this.#cancelTimer = this.#clock.after(remaining, this.#check)
  }

  readonly #onOuterAbort = () => this.#controller.abort(this.#outer.reason)
}
