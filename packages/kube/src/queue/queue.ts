import { type Backoff, delayAfter, type Random } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import type { Key } from '../objects/objects.ts'
import { DelayedKeys } from './delayed-keys.ts'
import { Fifo } from './fifo.ts'
import { RoundRobin } from './round-robin.ts'

export interface WorkQueueOptions {
  /** The `queue` label of the metrics. */
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  /** How long a key that failed waits before its next try. */
  readonly backoff?: Backoff
  /**
   * The owner of a key: keys of different owners are taken by turns, so that none waits for the ten thousand of
   * another. Without it all have one owner: the key that has been ready longest comes first.
   */
  readonly fairBy?: (key: Key) => string
  readonly metrics: Metrics
}

const defaultBackoff: Backoff = { baseMs: 50, maxMs: 5 * 60_000, jitter: 0.2 }

/** The state of a key that the queue knows. */
type KeyState =
  /** Waits for a worker. */
  | 'ready'
  /** A worker has it. */
  | 'taken'
  /** A worker has it, and it was added since: it will be ready again when that worker is done. */
  | 'taken and added'

/** Why a key is retried without a change: it failed, or its reconcile worked on outdated objects. */
type RetryReason = 'failed' | 'outdated'

/**
 * The keys to reconcile. It says *that* something about an object changed, never *what*: the worker that takes a key
 * looks at the object as it then is. That is why a key added ten times waits once, and why the queue keeps
 * nothing but the key.
 *
 * Workers call `take`, then `done`. Between the two the key is theirs alone: however often it is added meanwhile,
 * no other worker gets it before `done`, and everything added is seen by a take that comes after it.
 */
export class WorkQueue {
  readonly #name: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #backoff: Backoff
  readonly #metrics: Metrics
  readonly #fairBy: (key: Key) => string

  readonly #states = new Map<Key, KeyState>()
  readonly #ready = new RoundRobin<{ readonly key: Key; readonly since: number }>()
  readonly #delayed: DelayedKeys
  /** How often in a row each key has come again, for the reason that it had last. */
  readonly #retries = new Map<Key, { readonly why: RetryReason; readonly times: number }>()
  /** Resolves the workers that wait in `take`, one each. */
  readonly #takers = new Fifo<() => void>()
  readonly #stopMetrics: readonly (() => void)[]
  #closed = false

  constructor({ name, clock, random, backoff = defaultBackoff, metrics, fairBy }: WorkQueueOptions) {
    this.#name = name
    this.#clock = clock
    this.#random = random
    this.#backoff = backoff
    this.#metrics = metrics
    this.#fairBy = fairBy ?? (() => '')
    this.#delayed = new DelayedKeys(clock, (key) => this.add(key))
    this.#stopMetrics = [
      metrics.queueDepth.poll({ queue: name }, () => this.depth),
      metrics.queueOldest.poll({ queue: name }, () => this.oldestAgeMs / 1000),
    ]
  }

  /** Makes the key ready now, even one that is backing off: a change is news, and may have cured the failure. */
  add(key: Key): void {
    if (this.#closed) return
    const state = this.#states.get(key)
    if (state === 'ready' || state === 'taken and added') return
    this.#metrics.queueAdds.inc({ queue: this.#name })
    if (state === 'taken') this.#states.set(key, 'taken and added')
    else this.#makeReady(key)
  }

  /**
   * Adds the key later; the earliest of several delays for one key counts. Taking the key drops the delay: the
   * reconcile that then runs sees everything there is to see, and returns itself when to requeue.
   */
  addAfter(key: Key, milliseconds: number): void {
    if (!Number.isFinite(milliseconds)) {
      throw new RangeError(`${key} cannot be added after ${milliseconds} ms: give a finite number.`)
    }
    if (this.#closed) return
    if (milliseconds <= 0) this.add(key)
    else this.#delayed.set(key, milliseconds)
  }

  /**
   * Adds a key that failed, after a delay that doubles with each failure in a row. A key that was outdated for long, and
   * then fails, begins anew: its first failure is no reason to wait for minutes.
   * @returns the delay in milliseconds; undefined when the queue is closed and there will be no further try
   */
  retry(key: Key, why: RetryReason = 'failed'): number | undefined {
    if (this.#closed) return undefined
    const times = this.retries(key, why) + 1
    this.#retries.set(key, { why, times })
    this.#metrics.queueRetries.inc({ queue: this.#name })
    const delay = delayAfter(times, this.#backoff, this.#random)
    this.addAfter(key, delay)
    return delay
  }

  /** Resets the failures of a key: its next failure counts as the first. */
  forget(key: Key): void {
    this.#retries.delete(key)
  }

  /** How often in a row the key has come again for this reason. */
  retries(key: Key, why: RetryReason = 'failed'): number {
    const last = this.#retries.get(key)
    return last?.why === why ? last.times : 0
  }

  /** Waits for the key that has been ready longest, of the owner whose turn it is; undefined when the queue is closed. */
  async take(): Promise<Key | undefined> {
    while (!this.#closed) {
      const key = this.#takeReady()
      if (key !== undefined) return key
      await new Promise<void>((resolve) => this.#takers.push(resolve))
    }
    return undefined
  }

  /** Gives back a taken key. */
  done(key: Key): void {
    if (this.#closed) return
    const state = this.#states.get(key)
    if (state !== 'taken' && state !== 'taken and added') {
      throw new Error(`${key} is not taken from the queue ${this.#name}, so it cannot be given back.`)
    }
    this.#states.delete(key)
    if (state === 'taken and added') this.#makeReady(key)
  }

  /** Resolves all waiting workers with undefined and forgets every key. Later calls have no effect. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#states.clear()
    this.#ready.clear()
    this.#delayed.clear()
    for (const stop of this.#stopMetrics) stop()
    for (let resolve = this.#takers.shift(); resolve; resolve = this.#takers.shift()) resolve()
  }

  /** How many keys are ready and wait for a worker. */
  get depth(): number {
    return this.#ready.size
  }

  /** How long the one that has waited longest has been ready; 0 when none is. */
  get oldestAgeMs(): number {
    const now = this.#clock.monotonic()
    let oldest = now
    for (const { since } of this.#ready.heads()) oldest = Math.min(oldest, since)
    return now - oldest
  }

  #makeReady(key: Key): void {
    this.#states.set(key, 'ready')
    this.#ready.push({ key, since: this.#clock.monotonic() }, this.#fairBy(key))
    // The key stays ready until the woken worker runs, so that a burst of changes is taken once, as a whole.
    this.#takers.shift()?.()
  }

  #takeReady(): Key | undefined {
    const first = this.#ready.shift()
    if (first === undefined) return undefined
    this.#states.set(first.key, 'taken')
    this.#delayed.delete(first.key)
    this.#metrics.queueWait.observe({ queue: this.#name }, (this.#clock.monotonic() - first.since) / 1000)
    return first.key
  }
}
