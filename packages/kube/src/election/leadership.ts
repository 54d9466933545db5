import { unlimitedListeners } from '../abort.ts'
import type { WriteGuard } from '../client/api.ts'
import { WriteRefusedError } from '../client/errors.ts'
import type { Clock } from '../clock.ts'

/**
 * One stretch of leadership: writes are allowed until a moment of the monotonic clock, which each renewal moves
 * on. A term that has ended never comes back.
 *
 * The end is enforced twice. `check` asks the clock itself, because a timer may be late by any amount (SIGSTOP, a
 * starved machine); the timer is for those who wait on `signal` and check nothing.
 */
export class LeadershipTerm implements WriteGuard {
  readonly #clock: Clock
  readonly #ended = new AbortController()
  #validUntil: number
  /** Wall clock less monotonic clock, when the term was last extended. */
  #offset: number
  #cancelTimer: () => void = () => {}

  /** @param validUntil by `clock.monotonic()` */
  constructor(clock: Clock, validUntil: number) {
    this.#clock = clock
    unlimitedListeners(this.#ended.signal)
    this.#validUntil = validUntil
    this.#offset = this.#clockOffset()
    this.#armTimer()
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get isValid(): boolean {
    return !this.#ended.signal.aborted && this.#remaining() > 0
  }

  check(): number {
    const remaining = this.#remaining()
    // Ended here and now, not when the timer fires: a caller that retries in a tight loop would never let it.
    if (remaining <= 0) this.#endWith(ranOut())
    this.#ended.signal.throwIfAborted()
    return remaining
  }

  /** A renewal that is answered after the end came too late: another process may lead by now. */
  extend(validUntil: number): void {
    if (!this.isValid) return
    this.#validUntil = Math.max(this.#validUntil, validUntil)
    this.#offset = this.#clockOffset()
    this.#armTimer()
  }

  /** @param why a sentence for the error of writes that are refused from now on */
  end(why: string): void {
    this.#endWith(new WriteRefusedError(why))
  }

  #endWith(reason: WriteRefusedError): void {
    this.#cancelTimer()
    this.#ended.abort(reason)
  }

  /**
   * By the monotonic clock, which stands still while a machine is suspended: time that only the wall clock of this
   * machine has seen is taken off. That can end a term early (when someone sets the clock), never late.
   */
  #remaining(): number {
    const slept = Math.max(0, this.#clockOffset() - this.#offset)
    return this.#validUntil - this.#clock.monotonic() - slept
  }

  #clockOffset(): number {
    return this.#clock.now().getTime() - this.#clock.monotonic()
  }

  #armTimer(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(this.#remaining(), () => {
      // Timers count in whole milliseconds and may be a fraction early.
      if (this.isValid) this.#armTimer()
      else this.#endWith(ranOut())
    })
  }
}

const ranOut = () =>
  new WriteRefusedError(
    'This process no longer leads: it could not renew its lease in time, and another may lead by now. Nothing was written; it campaigns again by itself.',
  )
