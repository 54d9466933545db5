import { rejectOnAbort } from '../abort.ts'
import { type Backoff, delayAfter, type Random } from '../backoff.ts'
import type { KubeApi } from '../client/api.ts'
import {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isNotFound,
  MalformedResponseError,
  WriteRefusedError,
} from '../client/errors.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Event } from '../objects/kinds.ts'
import {
  type EventRecord,
  eventOf,
  newSeries,
  patchOf,
  type Regarding,
  type Reporter,
  type Series,
  seriesKey,
} from './event-series.ts'

export type { EventRecord, Regarding } from './event-series.ts'

export interface EventRecorderOptions extends Reporter {
  readonly client: Pick<KubeApi, 'create' | 'patch'>
  /** Series kept at once, 1000 by default: the most memory that events may take. */
  readonly capacity?: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'eventsDropped'>
}

/** One update per series in this time, however often it happens. */
const updateEveryMs = 5_000
/** What has not happened for so long is over; when it happens again, that is a new Event. */
const seriesEndsAfterMs = 6 * 60_000
const requestTimeoutMs = 10_000
const retries: Backoff & { readonly most: number } = { baseMs: 1_000, maxMs: 30_000, jitter: 0.5, most: 5 }
/** One log line per cause in this time: events are lost in great numbers or not at all. */
const logEveryMs = 10 * 60_000

type DropCause = 'overflow' | 'forbidden' | 'rejected' | 'refused' | 'unreachable' | 'invalid' | 'closed'

/** When a series is next worth a request, and how often in a row one has failed. */
interface Tracked extends Series {
  dueAt: number
  lastObservedAt: number
  failures: number
}

/**
 * Records what happened as `events.k8s.io/v1` Events (`kubectl describe`, `kubectl get events`).
 *
 * Events are best effort: `record` only takes a note and returns. It never throws and never waits, and what cannot
 * be sent is counted and dropped. The first occurrence creates an Event; all that follow are counted and sent
 * together every few seconds, so that an event in a hot loop costs next to nothing.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #capacity: number
  readonly #closing = new AbortController()
  /** By key; the ones that happened last are at the end. */
  readonly #series = new Map<string, Tracked>()
  readonly #loggedAt = new Map<DropCause, number>()
  #timer: { readonly at: number; readonly cancel: () => void } | undefined
  #draining: Promise<void> | undefined

  constructor(options: EventRecorderOptions) {
    refuseInvalid(options)
    this.#options = options
    this.#capacity = options.capacity ?? 1000
  }

  record(regarding: Regarding, record: EventRecord): void {
    try {
      if (this.#closing.signal.aborted) this.#drop('closed', 1)
      else this.#note(regarding, record)
    } catch (error) {
      // Types can be lied to; an event is not worth a failed reconcile.
      this.#drop('invalid', 1, error)
    }
  }

  /** Sends what is not sent yet, each series once; gives up when `signal` aborts. For an orderly stop, before `close`. */
  async flush(signal: AbortSignal): Promise<void> {
    const now = this.#now()
    for (const series of this.#unsent()) series.dueAt = Math.min(series.dueAt, now)
    await rejectOnAbort(this.#drain(), signal).catch(() => {}) // Sending never fails: only the signal does.
  }

  /** Ends everything at once; what is not sent by now is dropped. */
  close(): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new Error('The event recorder has been closed'))
    this.#timer?.cancel()
    const lost = this.#unsent().reduce((sum, { count, sent }) => sum + count - sent, 0)
    if (lost > 0) this.#drop('closed', lost)
    this.#series.clear()
  }

  // ── taking notes ──

  #note(regarding: Regarding, record: EventRecord): void {
    this.#forgetWhatIsOver()
    const key = seriesKey(regarding, record)
    const series = this.#series.get(key) ?? this.#begin(regarding, record)
    if (series === undefined) {
      this.#drop('overflow', 1)
      return
    }
    series.count += 1
    series.lastObserved = this.#options.clock.now()
    series.lastObservedAt = this.#now()
    this.#series.delete(key)
    this.#series.set(key, series)
    this.#scheduleDrainAt(series.dueAt)
  }

  #begin(regarding: Regarding, record: EventRecord): Tracked | undefined {
    if (this.#hasUsedItsShare(record)) return undefined
    if (this.#series.size >= this.#capacity && !this.#forgetOldestSent()) return undefined
    const { clock, random } = this.#options
    const series = newSeries(regarding, record, this.#options, { now: clock.now(), suffix: hex(random) })
    return { ...series, dueAt: this.#now(), lastObservedAt: this.#now(), failures: 0 }
  }

  #hasUsedItsShare({ reason, maxUnsent }: EventRecord): boolean {
    if (maxUnsent === undefined) return false
    return this.#unsent().filter(({ event }) => event.reason === reason).length >= maxUnsent
  }

  #forgetWhatIsOver(): void {
    const before = this.#now() - seriesEndsAfterMs
    for (const [key, { count, sent, lastObservedAt }] of this.#series) {
      if (lastObservedAt > before) return // so are all that follow
      if (count === sent) this.#series.delete(key)
    }
  }

  #forgetOldestSent(): boolean {
    for (const [key, { count, sent }] of this.#series) {
      if (count === sent) return this.#series.delete(key)
    }
    return false
  }

  // ── sending ──

  #scheduleDrainAt(at: number): void {
    if (this.#draining !== undefined || this.#closing.signal.aborted) return
    if (this.#timer !== undefined && this.#timer.at <= at) return
    this.#timer?.cancel()
    const cancel = this.#options.clock.after(Math.max(0, at - this.#now()), () => void this.#drain())
    this.#timer = { at, cancel }
  }

  /** Sends all that is due, one after the other; there is never more than one drain. */
  #drain(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#draining ??= this.#sendAllDue().finally(() => {
      this.#draining = undefined
      const next = Math.min(...this.#unsent().map(({ dueAt }) => dueAt))
      if (next !== Number.POSITIVE_INFINITY) this.#scheduleDrainAt(next)
    })
    return this.#draining
  }

  async #sendAllDue(): Promise<void> {
    for (let series = this.#nextDue(); series !== undefined; series = this.#nextDue())
      await this.#send(series)
  }

  /** Never rejects, and moves `dueAt` on in any case. */
  async #send(series: Tracked): Promise<void> {
    const { count } = series
    try {
      await (series.created ? this.#update(series) : this.#create(series))
      this.#settle(series, count)
    } catch (error) {
      this.#onFailure(series, count, error)
    }
  }

  async #create(series: Tracked): Promise<void> {
    try {
      await this.#options.client.create(Event, eventOf(series), this.#requestOptions())
      series.created = true
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // An earlier attempt was carried out and its answer lost. Its content is not known: update it.
      series.created = true
      if (series.count > 1) await this.#update(series)
    }
  }

  async #update(series: Tracked): Promise<void> {
    try {
      await this.#options.client.patch(Event, series.event.metadata, patchOf(series), this.#requestOptions())
    } catch (error) {
      if (!isNotFound(error)) throw error
      // Events expire on the server, by default after an hour.
      series.created = false
      await this.#create(series)
    }
  }

  #settle(series: Tracked, sent: number): void {
    series.sent = sent
    series.failures = 0
    series.dueAt = this.#now() + updateEveryMs
  }

  #onFailure(series: Tracked, count: number, error: unknown): void {
    if (this.#closing.signal.aborted) return // `close` has counted it
    series.failures += 1
    if (isPassing(error) && series.failures <= retries.most) {
      const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
      series.dueAt = this.#now() + Math.max(asked, delayAfter(series.failures, retries, this.#options.random))
      return
    }
    this.#drop(causeOf(error), count - series.sent, error)
    this.#settle(series, count)
  }

  #nextDue(): Tracked | undefined {
    if (this.#closing.signal.aborted) return undefined
    const now = this.#now()
    return this.#unsent().find(({ dueAt }) => dueAt <= now)
  }

  #unsent(): Tracked[] {
    return [...this.#series.values()].filter(({ count, sent }) => count > sent)
  }

  #requestOptions() {
    return { timeoutMs: requestTimeoutMs, signal: this.#closing.signal }
  }

  #drop(cause: DropCause, occurrences: number, error?: unknown): void {
    const { metrics, log } = this.#options
    metrics.eventsDropped.inc({ cause }, occurrences)
    const loggedAt = this.#loggedAt.get(cause)
    if (loggedAt !== undefined && this.#now() - loggedAt < logEveryMs) return
    this.#loggedAt.set(cause, this.#now())
    log.warn({ cause, err: error }, `Events are being lost: ${explanations[cause]}`)
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }
}

const explanations = {
  overflow:
    'more happen than can be sent; is the API server slow, or does a client create very many Ingresses?',
  forbidden:
    'the API server forbids it. Allow create and patch of events.k8s.io events, unless the namespace is going away',
  rejected: 'the API server does not accept them',
  refused: 'this process does not lead any more',
  unreachable: 'the API server cannot be reached',
  invalid: 'the record is not a valid Event',
  closed: 'the process is stopping',
} as const satisfies Record<DropCause, string>

function causeOf(error: unknown): DropCause {
  if (error instanceof WriteRefusedError) return 'refused'
  if (isPassing(error)) return 'unreachable'
  return error instanceof ApiError && error.code === 403 ? 'forbidden' : 'rejected'
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof MalformedResponseError) return true
  return error instanceof ApiError && (error.code >= 500 || [408, 409, 429].includes(error.code))
}

/** 16 digits: two Events about one object never meet. */
function hex(random: Random): string {
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('')
}

const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** Better to fail at start than to have the API server reject every Event later. */
function refuseInvalid({ reportingController, reportingInstance, capacity = 1 }: EventRecorderOptions): void {
  if (!qualifiedName.test(reportingController)) {
    throw new RangeError(
      `reportingController is "${reportingController}"; give it a qualified name, like portcullis.dev/operator.`,
    )
  }
  if (reportingInstance === '') {
    throw new RangeError('reportingInstance is empty; give it the name of this process, such as its pod.')
  }
  if (!(capacity >= 1)) throw new RangeError(`capacity is ${capacity}; give it a number of at least 1.`)
}
