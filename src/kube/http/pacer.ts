import type { Metrics } from '../metrics.ts'

/**
 * How many requests may be in flight at once. There is no fixed rate: the number starts at its maximum, is halved
 * when the API server says that it is overloaded, and grows back with each success (as TCP does it).
 *
 * A request keeps its place while it waits out a Retry-After. So when the server turns everything away, the places
 * fill up with waiting requests, and it hears from us no more than `limit` times in that span.
 */
export class Pacer {
  readonly #max: number
  readonly #metrics: Metrics
  readonly #waiting = new Set<Waiter>()
  #limit: number
  #inFlight = 0
  /** Counts the cuts; a request begun before the latest cut says nothing about the new limit. */
  #cuts = 0

  constructor({ max, metrics }: { max: number; metrics: Metrics }) {
    this.#max = max
    this.#limit = max
    this.#metrics = metrics
    metrics.concurrencyLimit.set(max)
  }

  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** A place at once if there is one free (the usual case: nothing to await), else a promise of one. */
  enter(signals: readonly AbortSignal[]): Place | Promise<Place> {
    if (this.#inFlight < this.limit && this.#waiting.size === 0) return this.#admit()
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          forget()
          resolve(this.#admit())
        },
      }
      const onAbort = (event: Event) => {
        forget()
        reject((event.target as AbortSignal).reason as Error)
      }
      const forget = () => {
        this.#waiting.delete(waiter)
        for (const signal of signals) signal.removeEventListener('abort', onAbort)
      }
      const aborted = signals.find((signal) => signal.aborted)
      if (aborted !== undefined) {
        reject(aborted.reason as Error)
        return
      }
      this.#waiting.add(waiter)
      for (const signal of signals) signal.addEventListener('abort', onAbort)
    })
  }

  #admit(): Place {
    this.#inFlight += 1
    let begun = this.#cuts
    return {
      succeeded: () => this.#setLimit(Math.min(this.#max, this.#limit + 1 / this.#limit)),
      overloaded: () => {
        this.#metrics.overloads.inc()
        if (begun === this.#cuts) {
          this.#cuts += 1
          this.#setLimit(Math.max(1, this.#limit / 2))
        }
        begun = this.#cuts
      },
      leave: () => {
        this.#inFlight -= 1
        this.#admitWaiting()
      },
    }
  }

  #admitWaiting(): void {
    for (const waiter of this.#waiting) {
      if (this.#inFlight >= this.limit) return
      waiter.admit()
    }
  }

  #setLimit(limit: number): void {
    if (limit === this.#limit) return
    this.#limit = limit
    this.#metrics.concurrencyLimit.set(this.limit)
    this.#admitWaiting()
  }
}

/** One request's place among those in flight. */
export interface Place {
  /** The server took the request. */
  succeeded(): void
  /** The server asked for patience. */
  overloaded(): void
  /** Must be called once, whatever happened. */
  leave(): void
}

interface Waiter {
  admit(): void
}
