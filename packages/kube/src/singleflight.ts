import { rejectOnAbort } from './abort.ts'

/**
 * One piece of work that several wait for. A waiter who gives up leaves the work to the others; when the last one
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
    // Once everybody has left nobody hears of the failure, and that is fine.
    this.#result.catch(() => {})
  }

  /** Done, failed or cancelled: who comes now must start another one. */
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
