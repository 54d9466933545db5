import type { Clock } from '../clock.ts'
import type { Key } from '../objects/objects.ts'
import { DeadlineHeap } from './deadline-heap.ts'

/** Keys that are wanted later. One timer serves them all: it is set for the earliest. */
export class DelayedKeys {
  readonly #clock: Clock
  readonly #onDue: (key: Key) => void
  readonly #deadlines = new DeadlineHeap()
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(clock: Clock, onDue: (key: Key) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Of several delays for one key the earliest counts. */
  set(key: Key, milliseconds: number): void {
    const at = this.#clock.monotonic() + milliseconds
    const known = this.#deadlines.deadlineOf(key)
    if (known !== undefined && known <= at) return
    this.#deadlines.set(key, at)
    this.#setTimer()
  }

  delete(key: Key): void {
    this.#deadlines.delete(key)
    this.#setTimer()
  }

  clear(): void {
    this.#deadlines.clear()
    this.#setTimer()
  }

  /** Brings the timer in line with the earliest deadline. */
  #setTimer(): void {
    const at = this.#deadlines.first?.at
    if (at === this.#timer?.at) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (at === undefined) return
    const cancel = this.#clock.after(at - this.#clock.monotonic(), () => this.#onTimer())
    this.#timer = { at, cancel }
  }

  #onTimer(): void {
    this.#timer = undefined
    // Timers may fire a little early, and after 24 days at the latest: what is not yet due waits on.
    const now = this.#clock.monotonic()
    for (let next = this.#deadlines.first; next && next.at <= now; next = this.#deadlines.first) {
      this.#deadlines.delete(next.key)
      this.#onDue(next.key)
    }
    this.#setTimer()
  }
}
