import { inspect } from 'node:util'
import type { Backoff, Random } from '../backoff.ts'
import { WriteRefusedError } from '../client/errors.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Key, refOf } from '../objects/objects.ts'
import { WorkQueue } from '../queue/queue.ts'
import type { KeySource } from './source.ts'

/** What one term of leadership gives to every reconcile. The manager adds a client and whatever else is needed. */
export interface RunContext {
  /** Aborts when reconciles must end at once: leadership is lost, or the time for a clean end is over. */
  readonly signal: AbortSignal
}

/**
 * Brings the cluster to the state that one object asks for. It gets the key of the object, never what happened to it: it
 * reads everything as it is now, so it may run at any time, and running once more does no harm.
 *
 * It returns when to run again; if it returns nothing, it runs again after the next change. If it throws, it
 * runs again after a while, which doubles with each failure; so it does if it returns `requeueWithBackoff`.
 */
export type Reconcile<Context extends RunContext = RunContext> = (
  key: Key,
  context: Context & { readonly log: Logger },
) => Promise<ReconcileResult>

/** What comes after a reconcile, beside the next change. */
export type ReconcileResult = RequeueAfter | typeof requeueWithBackoff | void

export interface RequeueAfter {
  readonly requeueAfterMs: number
}

/** Come back after this time at the latest, even if nothing changes: `return requeueAfter(30_000)`. */
export function requeueAfter(milliseconds: number): RequeueAfter {
  return { requeueAfterMs: milliseconds }
}

/**
 * The objects that it read are out of date, as a conflict shows; that is no failure, and a change is on its way. Should it not
 * come, the key must not be retried in a hot loop: it waits as after a failure, twice as long each time in a row.
 */
export const requeueWithBackoff = { requeueWithBackoff: true } as const

export interface ControllerOptions<Context extends RunContext> {
  /** For log lines and metrics. */
  readonly name: string
  /** What the keys name, for log lines: `IngressController`. */
  readonly kind: string
  readonly reconcile: Reconcile<Context>
  /** What enqueues keys; see `enqueueFrom`. */
  readonly sources: readonly KeySource[]
  /** How many keys are reconciled at once; 4 by default. One key never is twice. */
  readonly workers?: number
  readonly backoff?: Backoff
  /** To whom a key belongs, so that keys of different owners are taken by turns; see `WorkQueueOptions`. */
  readonly fairBy?: (key: Key) => string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** Runs a reconcile for every key that its sources enqueue. */
export class Controller<Context extends RunContext = RunContext> {
  readonly #options: ControllerOptions<Context>
  readonly #log: Logger
  #running = false

  constructor(options: ControllerOptions<Context>) {
    this.#options = options
    this.#log = options.log.child({ controller: options.name })
  }

  get name(): string {
    return this.#options.name
  }

  /**
   * Reconciles all that is in the sources, and then whatever changes, until `stop` or the context's signal aborts.
   * From then on no key is taken, and the promise resolves when the reconciles in flight have ended. It may then be
   * run again, for the next term of leadership; that begins from nothing, with a queue of its own.
   */
  async run({ stop, context }: { readonly stop: AbortSignal; readonly context: Context }): Promise<void> {
    if (this.#running) throw new Error(`The controller ${this.name} is already running.`)
    this.#running = true
    try {
      await this.#runTerm(AbortSignal.any([stop, context.signal]), context)
    } finally {
      this.#running = false
    }
  }

  async #runTerm(stop: AbortSignal, context: Context): Promise<void> {
    if (stop.aborted) return
    const queue = new WorkQueue(this.#options)
    const unsubscribes: (() => void)[] = []
    const end = () => {
      for (const unsubscribe of unsubscribes.splice(0)) unsubscribe()
      queue.close()
    }
    stop.addEventListener('abort', end, { once: true })
    try {
      for (const source of this.#options.sources) unsubscribes.push(this.#listen(source, queue))
      const workers = Array.from({ length: this.#options.workers ?? 4 }, () => this.#work(queue, context))
      await Promise.all(workers)
    } finally {
      end()
    }
  }

  #listen(source: KeySource, queue: WorkQueue): () => void {
    return source.subscribe({
      enqueue: (key) => queue.add(key),
      onMapError: ({ kind = 'object', metadata: { namespace, name } }, thrown) => {
        const err = asError(thrown)
        const fullName = namespace ? `${namespace}/${name}` : name
        this.#log.error(
          { kind, namespace, name, err },
          `Cannot tell what to reconcile because of ${kind} ${fullName}: ${err.message}`,
        )
      },
    })
  }

  /** Takes one key after the other. Whatever a reconcile does, the worker goes on to the next. */
  async #work(queue: WorkQueue, context: Context): Promise<void> {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      await this.#reconcile(key, queue, context)
      queue.done(key)
    }
  }

  async #reconcile(key: Key, queue: WorkQueue, context: Context): Promise<void> {
    const { name: controller, kind, reconcile, clock, metrics } = this.#options
    const { namespace, name } = refOf(key)
    const log = this.#log.child({ kind, namespace, name })
    const start = clock.monotonic()
    let result: 'success' | 'error' | 'aborted' = 'success'
    try {
      const next = await reconcile(key, { ...context, log })
      if (next && 'requeueWithBackoff' in next) {
        queue.retry(key, 'outdated')
      } else {
        if (next) queue.addAfter(key, next.requeueAfterMs)
        queue.forget(key)
      }
    } catch (thrown) {
      result = isCutOff(thrown, context.signal) ? 'aborted' : 'error'
      const failure = this.#backOff(key, queue, asError(thrown))
      if (result === 'aborted') log.debug(failure.fields, failure.message)
      else log.error(failure.fields, failure.message)
    }
    metrics.reconciles.inc({ controller, result })
    metrics.reconcileDuration.observe({ controller }, (clock.monotonic() - start) / 1000)
  }

  /**
   * This key alone waits; the others go on.
   * @returns what to log about it
   */
  #backOff(key: Key, queue: WorkQueue, err: Error): { fields: object; message: string } {
    const attempt = queue.retries(key) + 1
    const delay = queue.retry(key)
    const nextTryInMs = delay === undefined ? undefined : Math.round(delay)
    const nextTry = nextTryInMs === undefined ? 'after the next start' : `in ${nextTryInMs} ms`
    return {
      fields: { attempt, nextTryInMs, err },
      message: `Cannot reconcile ${this.#options.kind} ${key} (attempt ${attempt}, next ${nextTry}): ${err.message}`,
    }
  }
}

/**
 * Whether a reconcile failed only because it had to end. A refused write says so too, possibly a moment before
 * the signal does: the guard of writes asks the clock, the signal waits for a timer.
 */
function isCutOff(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted || thrown instanceof WriteRefusedError
}

/** Anything can be thrown; log lines want an error. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(inspect(thrown), { cause: thrown })
}
