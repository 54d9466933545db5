import { type Backoff, delayAfter, type Random } from './backoff.ts'
import { type Clock, sleep } from './clock.ts'
import { ApiError, isGone, MalformedAnswerError } from './errors.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type Kind, type KubeObject, keyOf, type Live } from './objects.ts'
import type { Selection, Verbs, WatchEvent } from './verbs.ts'

/** Where a watch puts what it sees. */
export interface WatchSink<T extends KubeObject> {
  /** The whole collection as of now; what is not in it no longer exists. */
  replace(objects: readonly Live<T>[]): void
  apply(object: Live<T>): void
  delete(object: Live<T>): void
}

export interface WatchOptions<T extends KubeObject> {
  readonly client: Pick<Verbs, 'pages' | 'watchOnce'>
  readonly kind: Kind<T>
  readonly selection?: Selection
  /** Keeps only what is needed of an object, before it is stored. Metadata's name, namespace, uid and version must stay. */
  readonly project?: (object: Live<T>) => Live<T>
  readonly sink: WatchSink<T>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly pageSize?: number
  /** A watch from which nothing came for so long is dead. The server sends a bookmark each minute. */
  readonly silenceMs?: number
  readonly backoff?: Backoff
}

/** How a watch is doing, for health checks. */
export type WatchState =
  | { readonly state: 'starting' }
  | { readonly state: 'watching' }
  | { readonly state: 'failing'; readonly problem: string; readonly since: Date }

const defaultSilenceMs = 75_000
const defaultBackoff: Backoff = { baseMs: 250, maxMs: 30_000, jitter: 0.5 }

/** Watches end by themselves after five to ten minutes, not all at once, so that servers can share the load anew. */
const lifetimeSeconds = (random: Random) => Math.round(300 + 300 * random())

/** A stream that ends in good order sooner than this, whatever it brought, is a fault in disguise. */
const tooShortMs = 1000

/** The longest that the API server works on one request. */
const listTimeoutMs = 60_000

/** So many lines in a row that make no sense at one place: the stream is of no use, list again. */
const malformedLimit = 3

/**
 * Follows a collection for ever: lists it, then watches from that version on. A watch that breaks is resumed at
 * the last version seen; only when the server no longer keeps that version is everything listed again. Failures
 * are retried with growing delays, without end: a cluster may be away for an hour.
 */
export class Watch<T extends KubeObject> {
  readonly #options: WatchOptions<T>
  readonly #silenceMs: number
  readonly #backoff: Backoff
  readonly #log: Logger
  #state: WatchState = { state: 'starting' }
  /** The version up to which the sink is complete; none before the first list, or when it is no longer to be had. */
  #version: string | undefined
  #failures = 0
  #malformedInARow = 0
  /** Set when pages of a list expired on the way: the next list is asked for in one piece. */
  #listWhole = false

  constructor(options: WatchOptions<T>) {
    this.#options = options
    this.#silenceMs = options.silenceMs ?? defaultSilenceMs
    this.#backoff = options.backoff ?? defaultBackoff
    this.#log = options.log.child({ watch: options.kind.kind })
  }

  get state(): WatchState {
    return this.#state
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list(signal)
        else await this.#follow(this.#version, signal)
      } catch (error) {
        if (signal.aborted) return
        const delay = this.#failed(error)
        await sleep(this.#options.clock, delay, signal).catch(() => {})
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, kind, selection, sink, pageSize } = this.#options
    const paging = this.#listWhole ? { pageSize: 0 } : pageSize === undefined ? {} : { pageSize }
    const objects: Live<T>[] = []
    let version = ''
    for await (const page of client.pages(kind, {
      ...selection,
      ...paging,
      signal,
      timeoutMs: listTimeoutMs,
    })) {
      version = page.resourceVersion
      for (const object of page.items) objects.push(this.#project(object))
    }
    sink.replace(objects)
    this.#version = version
    this.#listWhole = false
  }

  /** One watch request, to its end. Throws if that end was not a good one. */
  async #follow(version: string, signal: AbortSignal): Promise<void> {
    const { client, kind, selection, clock, random, metrics } = this.#options
    const silence = new SilenceAlarm(clock, this.#silenceMs, signal)
    const begun = clock.monotonic()
    try {
      const stream = await client.watchOnce(kind, {
        ...selection,
        resourceVersion: version,
        timeoutSeconds: lifetimeSeconds(random),
        signal: silence.signal,
      })
      this.#state = { state: 'watching' }
      for await (const events of stream) {
        silence.heard()
        metrics.watchEvents.inc({ kind: kind.kind }, events.length)
        for (const event of events) this.#handle(event)
        this.#failures = 0
        this.#malformedInARow = 0
      }
    } finally {
      silence.stop()
    }
    if (clock.monotonic() - begun < tooShortMs) throw new Error(`The watch of ${kind.kind} ended at once`)
    this.#failures = 0
    metrics.watchRestarts.inc({ kind: kind.kind, cause: 'ended' })
  }

  #handle(event: WatchEvent<T>): void {
    const { kind, sink } = this.#options
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        sink.apply(this.#project(event.object))
        break
      case 'DELETED':
        sink.delete(event.object)
        break
      case 'BOOKMARK':
        break
      case 'ERROR': {
        const { code = 500, details } = event.object
        const retryAfter = details?.retryAfterSeconds
        throw new ApiError(`watch ${kind.kind}`, code, event.object, retryAfter && retryAfter * 1000)
      }
    }
    this.#version = event.object.metadata.resourceVersion
  }

  #project(object: Live<T>): Live<T> {
    const { kind, project } = this.#options
    if (project === undefined) return object
    try {
      return project(object)
    } catch (cause) {
      throw new Error(`Cannot project ${kind.kind} ${keyOf(object.metadata)}: ${String(cause)}`, { cause })
    }
  }

  /** Takes note of a failure; returns how long to wait before the next try. */
  #failed(error: unknown): number {
    const { kind, clock, random, metrics } = this.#options
    const cause = causeOf(error)
    metrics.watchRestarts.inc({ kind: kind.kind, cause })
    if (cause === 'expired') {
      this.#listWhole = this.#version === undefined
      this.#version = undefined
    }
    if (cause === 'malformed' && ++this.#malformedInARow >= malformedLimit) {
      this.#malformedInARow = 0
      this.#version = undefined
    }
    // Some kinds have no bookmarks, and nothing may happen to them for hours: that is no reason to wait or to worry.
    this.#failures = cause === 'silent' ? 1 : this.#failures + 1
    // The first break of a watch that had been working is everyday life: a restarted server, an expired version.
    const isNews = this.#failures > 1 || this.#version === undefined
    const problem = error instanceof Error ? error.message : String(error)
    const delay = Math.max(delayAfter(this.#failures, this.#backoff, random), retryAfterOf(error))
    const fields = { err: error, cause, failures: this.#failures, nextTryMs: Math.round(delay) }
    if (isNews && cause !== 'expired') this.#log.warn(fields, problem)
    else this.#log.debug(fields, problem)
    if (cause !== 'silent') {
      const since = this.#state.state === 'failing' ? this.#state.since : clock.now()
      this.#state = { state: 'failing', problem, since }
    }
    return delay
  }
}

type RestartCause = 'expired' | 'malformed' | 'silent' | 'refused' | 'broken'

function causeOf(error: unknown): RestartCause {
  if (isGone(error)) return 'expired'
  if (error instanceof MalformedAnswerError) return 'malformed'
  if (error instanceof SilenceError) return 'silent'
  return error instanceof ApiError ? 'refused' : 'broken'
}

function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
}

class SilenceError extends Error {
  override readonly name = 'SilenceError'
  constructor(silenceMs: number) {
    super(`Nothing was heard from a watch for ${silenceMs / 1000} s: its connection is dead`)
  }
}

/**
 * Aborts a watch from which nothing comes any more. A half-open connection says nothing by itself: the machine at
 * the other end is gone, or something in between has forgotten us.
 */
class SilenceAlarm {
  readonly #clock: Clock
  readonly #silenceMs: number
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
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
