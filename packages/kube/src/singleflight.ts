import { rejectOnAbort } from './abort.ts'

/**
 * One piece of work that several callers wait for. A caller that gives up leaves it to the others; when the last one
 * has left, the work is cancelled.
 */
export class Singleflight<T> {
  readonly #result: Promise<T>
  readonly #cancel = new AbortController()
  #waiters = 0
  #isSettled = false

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#cancel.signal).finally(() => {
      this.#isSettled = true
    })
    // Once all callers have left, the failure may go unhandled.
    this.#result.catch(() => {})
  }

  /** Done, failed or cancelled: a new caller must start another one. */
  get isOver(): boolean {
    return this.#isSettled || this.#cancel.signal.aborted
  }

  /** The result; rejects with the signal's reason as soon as it aborts. */
  async join(signal?: AbortSignal): Promise<T> {
    this.#waiters += 1
    try {
      return await rejectOnAbort(this.#result, signal)
    } finally {
      this.#waiters -= 1
      if (this.#waiters === 0 && !this.#isSettled) this.#cancel.abort(signal?.reason)
    }
  }
}
