import { type Backoff, delayAfter, type Random } from '../backoff.ts'
import {
  type ElideOptions,
  isEndOfInitialEvents,
  type KubeApi,
  type ObjectEvent,
  type Selection,
  type Status,
  type WatchEvent,
} from '../client/api.ts'
import { ApiError, isGone, MalformedResponseError } from '../client/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Key, Kind, KubeObject, Persisted } from '../objects/objects.ts'
import { IdleTimeout, IdleTimeoutError } from './idle-timeout.ts'
import { InitialList } from './initial-list.ts'
import { Projection } from './projection.ts'

/** Where a watch puts what it sees. */
export interface WatchSink<T extends KubeObject> {
  /** The whole collection as of now; what is not in it no longer exists. */
  replace(objects: readonly Persisted<T>[]): void
  apply(object: Persisted<T>): void
  delete(object: Persisted<T>): void
  /** What is there already, if anything: while everything is listed again, it need not be held twice. */
  get?(key: Key): unknown
}

export interface WatchOptions<T extends KubeObject> {
  readonly client: Pick<KubeApi, 'pages' | 'watchOnce'>
  readonly kind: Kind<T>
  readonly selection?: Selection
  /**
   * Keeps only what is needed of an object, before the next one is read. Metadata's name, namespace, uid and version must
   * stay. Where it throws, the object is left out.
   */
  readonly project?: (object: Persisted<T>) => Persisted<T>
  readonly sink: WatchSink<T>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly pageSize?: number
  /** A watch from which nothing came for so long is dead. The server sends a bookmark each minute. */
  readonly idleTimeoutMs?: number
  readonly backoff?: Backoff
}

/** How a watch is doing, for health checks. */
export type WatchState =
  | { readonly state: 'starting' }
  | { readonly state: 'watching' }
  | { readonly state: 'failing'; readonly problem: string; readonly since: Date }

const defaultIdleTimeoutMs = 75_000
const defaultBackoff: Backoff = { baseMs: 250, maxMs: 30_000, jitter: 0.5 }

/**
 * A list that is streamed, and that does not grow for so long, is not streamed by this server, or not now. What changes
 * meanwhile does not count: a server that has begun an ordinary watch, without bookmarks, sends changes for ever.
 */
const initialIdleTimeoutMs = 10_000

/** And so there: a collection may grow for ever. A list that is really that long comes in pages just as well. */
const longestGrowthMs = 120_000

/** So many streamed lists in a row that broke: the next is asked for in pages. */
const brokenStreamsLimit = 3

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
 *
 * The list is the beginning of the watch where the server can do that (`sendInitialEvents`), so that each object is
 * projected before the next is read, however large they are and however many; else it comes in pages.
 */
export class Watch<T extends KubeObject> {
  readonly #options: WatchOptions<T>
  readonly #idleTimeoutMs: number
  readonly #backoff: Backoff
  readonly #log: Logger
  readonly #projection: Projection<T>
  /** An object that is projected to itself is kept as it is, and may be written: nothing of it may be cut. */
  readonly #elideOptions: ElideOptions
  #state: WatchState = { state: 'starting' }
  /** The version up to which the sink is complete; none before the first list, or when it is no longer to be had. */
  #version: string | undefined
  #failures = 0
  #malformedInARow = 0
  /** Set when the server has refused to stream a list: it would again. */
  #neverStreams = false
  #brokenStreams = 0
  /** Set when pages of a list expired on the way: the next list is asked for in one piece. */
  #listWhole = false

  constructor(options: WatchOptions<T>) {
    this.#options = options
    this.#idleTimeoutMs = options.idleTimeoutMs ?? defaultIdleTimeoutMs
    this.#backoff = options.backoff ?? defaultBackoff
    this.#log = options.log.child({ watch: options.kind.kind })
    const { kind, project, metrics } = options
    this.#projection = new Projection({ kind, project, metrics, log: this.#log })
    const isKeptWhole = (object: Persisted) => this.#projection.of(object as Persisted<T>) === object
    this.#elideOptions = project === undefined ? {} : { isKeptWhole }
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
    if (!this.#neverStreams && this.#brokenStreams < brokenStreamsLimit) {
      try {
        await this.#follow(undefined, signal)
        return
      } catch (error) {
        // Once the list was there, it is the watch that broke.
        if (signal.aborted || this.#version !== undefined) throw error
        const isRefused = isRefusalToStream(error)
        if (isRefused) this.#neverStreams = true
        else if (!(error instanceof IdleTimeoutError)) {
          if (isBroken(error)) this.#brokenStreams += 1
          throw error
        }
        const instead = isRefused ? 'lists come in pages from now on' : 'this list comes in pages'
        this.#log.debug({ err: error }, `A list was not streamed: ${instead}`)
      }
    }
    await this.#listPages(signal)
    this.#brokenStreams = 0
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const { client, kind, selection, sink, pageSize } = this.#options
    const paging = this.#listWhole ? { pageSize: 0 } : pageSize === undefined ? {} : { pageSize }
    // If not even that works, it is pages again.
    this.#listWhole = false
    const list = new InitialList(this.#projection, sink)
    let version = ''
    const pages = client.pages(kind, {
      ...selection,
      ...paging,
      ...this.#elideOptions,
      signal,
      timeoutMs: listTimeoutMs,
    })
    try {
      for await (const page of pages) {
        version = page.resourceVersion
        for (const object of page.items) list.apply(object)
      }
    } catch (error) {
      this.#listWhole = isGone(error)
      throw error
    }
    sink.replace(list.objects)
    this.#version = version
  }

  /**
   * One watch request, to its end. Throws if that end was not a good one.
   *
   * @param version undefined to list first, in the same stream
   */
  async #follow(version: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, kind, selection, sink, clock, random, metrics } = this.#options
    let list = version === undefined ? new InitialList(this.#projection, sink) : undefined
    const idleTimeoutMs =
      list === undefined ? this.#idleTimeoutMs : Math.min(this.#idleTimeoutMs, initialIdleTimeoutMs)
    const silence = new IdleTimeout(clock, idleTimeoutMs, signal)
    const begun = clock.monotonic()
    try {
      const stream = await client.watchOnce(kind, {
        ...selection,
        ...this.#elideOptions,
        resourceVersion: version,
        timeoutSeconds: lifetimeSeconds(random),
        signal: silence.signal,
      })
      if (list === undefined) this.#state = { state: 'watching' }
      let largest = 0
      for await (const events of stream) {
        metrics.watchEvents.inc({ kind: kind.kind }, events.length)
        for (const event of events) {
          if (list === undefined) this.#handle(event)
          else if (isEndOfInitialEvents(event)) {
            sink.replace(list.objects)
            list = undefined
            this.#version = versionOf(event)
            this.#brokenStreams = 0
            this.#state = { state: 'watching' }
            silence.allow(this.#idleTimeoutMs)
          } else this.#handleInitial(event, list)
        }
        if (list !== undefined) {
          if (list.size > largest && clock.monotonic() - begun < longestGrowthMs) silence.heard()
          largest = Math.max(largest, list.size)
          continue
        }
        silence.heard()
        this.#failures = 0
        this.#malformedInARow = 0
      }
    } finally {
      silence.stop()
    }
    if (list !== undefined) throw new Error(`The list of ${kind.kind} broke off`)
    if (clock.monotonic() - begun < tooShortMs) throw new Error(`The watch of ${kind.kind} ended at once`)
    this.#failures = 0
    metrics.watchRestarts.inc({ kind: kind.kind, cause: 'ended' })
  }

  #handle(event: WatchEvent<T>): void {
    const { kind, sink } = this.#options
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED': {
        const object = this.#projection.of(event.object)
        if (object === undefined) sink.delete(event.object)
        else sink.apply(object)
        break
      }
      case 'DELETED':
        sink.delete(event.object)
        break
      case 'BOOKMARK':
        break
      case 'ERROR':
        throw errorOf(event.object, kind)
    }
    this.#version = versionOf(event)
  }

  /** Changes during the list may come before its end. */
  #handleInitial(event: WatchEvent<T>, list: InitialList<T>): void {
    const { kind } = this.#options
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        list.apply(event.object)
        break
      case 'DELETED':
        list.delete(event.object)
        break
      case 'BOOKMARK':
        throw new NotStreamedError(kind)
      case 'ERROR':
        throw errorOf(event.object, kind)
    }
  }

  /** Takes note of a failure; returns how long to wait before the next try. */
  #failed(error: unknown): number {
    const { kind, clock, random, metrics } = this.#options
    const cause = causeOf(error)
    metrics.watchRestarts.inc({ kind: kind.kind, cause })
    if (cause === 'expired') this.#version = undefined
    if (cause === 'malformed' && ++this.#malformedInARow >= malformedLimit) {
      this.#malformedInARow = 0
      this.#version = undefined
    }
    // Some kinds have no bookmarks, and nothing may happen to them for hours: that is no reason to wait or to worry.
    this.#failures = cause === 'silent' ? 1 : this.#failures + 1
    // The first break of a watch that had been working is everyday life: a restarted server, an expired version.
    const isWorthWarning = this.#failures > 1 || this.#version === undefined
    const problem = error instanceof Error ? error.message : String(error)
    const delay = Math.max(delayAfter(this.#failures, this.#backoff, random), retryAfterOf(error))
    const fields = { err: error, cause, failures: this.#failures, nextTryMs: Math.round(delay) }
    if (isWorthWarning && cause !== 'expired') this.#log.warn(fields, problem)
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
  if (error instanceof MalformedResponseError) return 'malformed'
  if (error instanceof IdleTimeoutError) return 'silent'
  return error instanceof ApiError ? 'refused' : 'broken'
}

/** The server knows nothing of lists that are streamed, and has begun an ordinary watch. */
class NotStreamedError extends Error {
  override readonly name = 'NotStreamedError'
  constructor({ kind }: Kind) {
    super(`The list of ${kind} was not streamed: the server does not say where it ends`)
  }
}

/** How servers refuse it: they are too old, or it is switched off there. */
const refusals = [400, 405, 406, 422, 501]

function isRefusalToStream(error: unknown): boolean {
  return error instanceof NotStreamedError || (error instanceof ApiError && refusals.includes(error.code))
}

function isBroken(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code >= 500
}

function versionOf({ object }: ObjectEvent<KubeObject>): string {
  return object.metadata.resourceVersion
}

function errorOf(status: Status, { kind }: Kind): ApiError {
  const { code = 500, details } = status
  const retryAfter = details?.retryAfterSeconds
  return new ApiError(`watch ${kind}`, code, status, retryAfter && retryAfter * 1000)
}

function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
}
