import { onAbort } from '../abort.ts'
import type { Metrics } from '../metrics.ts'
import { bestAfter, firstLimit, limitAfter } from './vegas-limit.ts'

/**
 * How many requests may be in flight at once. There is no fixed rate: the number is halved when the API server says
 * that it is overloaded (as TCP does it), and follows how long its answers take: see `limitAfter`.
 *
 * A request that waits out a Retry-After gives its slot to others meanwhile; only the last slot is kept. So a
 * server that takes a few at a time gets a few at a time, and one that rejects everything gets, after
 * as many rejections as there were slots, one request in each such span.
 */
export class ConcurrencyLimiter {
  readonly #name: string
  readonly #max: number
  readonly #metrics: Metrics
  /** Requests that were rejected once come before those not yet sent. */
  readonly #returning = new Set<Waiter>()
  readonly #waiting = new Set<Waiter>()
  /** By what was asked for: the best time that an answer took. */
  readonly #best = new Map<string, number>()
  #limit: number
  #inFlight = 0
  /** Counts the cuts; a request begun before the latest cut shows nothing of the new limit. */
  #cuts = 0

  /** @param name whose pace it is, in metrics */
  constructor({
    name,
    max,
    start = Math.min(firstLimit, max),
    metrics,
  }: { name: string; max: number; start?: number; metrics: Metrics }) {
    this.#name = name
    this.#max = max
    this.#limit = start
    this.#metrics = metrics
    metrics.concurrencyLimit.set({ client: name }, start)
  }

  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** A slot at once if one is free (the usual case: nothing to await), else a promise of one. */
  acquire(signals: readonly AbortSignal[]): Slot | Promise<Slot> {
    const isFree = this.#inFlight < this.limit && this.#waiting.size === 0 && this.#returning.size === 0
    if (!isFree) return this.#turn(this.#waiting, signals).then(() => this.#slot(signals))
    this.#inFlight += 1
    return this.#slot(signals)
  }

  /** Waits in line; resolves when admitted, and then counts as in flight. */
  #turn(line: Set<Waiter>, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = signals.find((signal) => signal.aborted)
      if (aborted !== undefined) {
        reject(aborted.reason as Error)
        return
      }
      const waiter: Waiter = {
        admit: () => {
          forget()
          this.#inFlight += 1
          resolve()
        },
      }
      const giveUp = (reason: Error) => {
        forget()
        reject(reason)
      }
      const forget = () => {
        line.delete(waiter)
        for (const stay of stays) stay()
      }
      line.add(waiter)
      const stays = signals.map((signal) => onAbort(signal, giveUp))
      this.#admitWaiting()
    })
  }

  #slot(signals: readonly AbortSignal[]): Slot {
    let begun = this.#cuts
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      this.#inFlight -= 1
      this.#admitWaiting()
    }
    return {
      answered: (what, tookMs) => {
        const bestMs = bestAfter(this.#best.get(what), tookMs)
        this.#best.set(what, bestMs)
        const answer = { tookMs, bestMs, inFlight: this.#inFlight }
        this.#setLimit(limitAfter(this.#limit, answer, this.#max))
      },
      overloaded: () => {
        this.#metrics.overloads.inc()
        if (begun !== this.#cuts) return
        this.#cuts += 1
        this.#setLimit(Math.max(1, this.#limit / 2))
      },
      waitOut: async (wait, overdue) => {
        if (this.limit > 1) release()
        await wait()
        if (!isHeld)
          await this.#turn(this.#returning, overdue === undefined ? signals : [...signals, overdue])
        isHeld = true
        begun = this.#cuts
      },
      release,
    }
  }

  #admitWaiting(): void {
    for (const line of [this.#returning, this.#waiting]) {
      for (const waiter of line) {
        if (this.#inFlight >= this.limit) return
        waiter.admit()
      }
    }
  }

  #setLimit(limit: number): void {
    const before = this.limit
    this.#limit = limit
    if (this.limit === before) return
    this.#metrics.concurrencyLimit.set({ client: this.#name }, this.limit)
    this.#admitWaiting()
  }
}

/** One request's slot among those in flight. */
export interface Slot {
  /** The server took the request: what was asked for, so that like is compared with like, and how long it took. */
  answered(what: string, tookMs: number): void
  /** The server answered 429, or 503 with Retry-After. */
  overloaded(): void
  /** Waits before the next try, and has a slot again afterwards; rejects if the deadline comes before one is free. */
  waitOut(wait: () => Promise<void>, overdue?: AbortSignal): Promise<void>
  /** Must be called in the end, whatever happened. */
  release(): void
}

interface Waiter {
  admit(): void
}
