import type { IncomingHttpHeaders } from 'node:http'
import { rejectOnAbort } from '../abort.ts'
import { delayAfter, type Random } from '../backoff.ts'
import type { Status, WriteGuard } from '../client/api.ts'
import {
  ApiError,
  type Attempt,
  ConnectionError,
  MalformedResponseError,
  ResponseTooLargeError,
  WriteRefusedError,
} from '../client/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import type { ClusterAccess, Credential } from '../config/access.ts'
import type { Metrics } from '../metrics.ts'
import { BodyTooLongError } from './buffered-request.ts'
import type { ConcurrencyLimiter, Slot } from './concurrency-limiter.ts'
import { describeConnectionProblem } from './connection-problem.ts'
import type { HttpRequest, HttpResponse, HttpStream, HttpTransport } from './messages.ts'

/** A request as the client means it, before credentials, pacing and retries. */
export interface Call {
  readonly verb: string
  readonly kind: string
  /** Says in words what is tried; only asked when it fails. */
  readonly attempt: () => Attempt
  readonly method: HttpRequest['method']
  readonly path: string
  readonly contentType?: string | undefined
  /** In which form the answer is wanted; JSON of the whole object by default. */
  readonly accept?: string | undefined
  readonly body?: string | undefined
  readonly timeoutMs: number
  /** The longest answer that is read; more than any single object can be by default. */
  readonly maxBytes?: number | undefined
  /** Retry-After is not waited out. */
  readonly noRetry?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly guard?: WriteGuard | undefined
}

/** For a call without a limit of its own. */
export const defaultTimeoutMs = 30_000
/** No single object is nearly as large: the API server takes 3 MiB at most, and what it fills in is not ten times that. */
const defaultMaxBytes = 64 * 1024 * 1024
/** A read that broke off is tried again; a write is not, because it may have been carried out. */
const brokenReads = { tries: 3, backoff: { baseMs: 50, maxMs: 1000, jitter: 0.5 } }

/**
 * Gets a call answered: adds credentials (and fetches new ones after a 401), keeps to the pace that the server
 * allows, waits out Retry-After, keeps the deadline, asks the guard before a write, counts. What comes back is a
 * success; everything else is an error that reads as a sentence.
 */
export class Requester {
  readonly #access: ClusterAccess
  readonly #transport: HttpTransport
  readonly #limiter: ConcurrencyLimiter
  readonly #clock: Clock
  readonly #random: Random
  readonly #metrics: Metrics
  readonly #ownHeaders: HttpRequest['headers']
  readonly #headers = new Map<string, HttpRequest['headers']>()
  /** A server behind a path (`https://rancher/k8s/clusters/c-1`) keeps it in front of every request. */
  readonly #basePath: string

  constructor(parts: {
    access: ClusterAccess
    transport: HttpTransport
    limiter: ConcurrencyLimiter
    clock: Clock
    random: Random
    metrics: Metrics
    userAgent: string
  }) {
    this.#access = parts.access
    this.#transport = parts.transport
    this.#limiter = parts.limiter
    this.#clock = parts.clock
    this.#random = parts.random
    this.#metrics = parts.metrics
    this.#ownHeaders = { 'user-agent': parts.userAgent, ...impersonationHeaders(parts.access) }
    this.#basePath = parts.access.server.pathname.replace(/\/$/, '')
  }

  /** The deadline runs from when the call has a slot: waiting for one is not the server's fault. */
  async call(call: Call): Promise<HttpResponse> {
    const acquired = this.#limiter.acquire(signalsOf(call))
    const slot = acquired instanceof Promise ? await acquired : acquired
    try {
      return await this.#untilAnswered(call, slot)
    } finally {
      slot.release()
    }
  }

  /** Opens a stream that lasts until the call's signal aborts. */
  async open(call: Call): Promise<HttpStream> {
    for (let retried = false; ; retried = true) {
      const credential = await this.#credential(call, Number.POSITIVE_INFINITY)
      const stream = await this.#timed(call, () => this.#transport.stream(this.#request(call), credential))
      if (stream.status < 300) return stream
      const body = await readText(stream.body)
      if (!retried && (await this.#mayRetry(stream.status, credential))) continue
      throw this.#apiError(call, { ...stream, body }, credential)
    }
  }

  /** What a failure on the way means, for a stream that breaks after it was opened. */
  connectionError(call: Pick<Call, 'attempt'>, error: unknown): ConnectionError {
    return new ConnectionError(call.attempt(), describeConnectionProblem(error, this.#access), error)
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  async #untilAnswered(call: Call, slot: Slot): Promise<HttpResponse> {
    const deadline = this.#clock.monotonic() + call.timeoutMs
    let brokenOff = 0
    let reauthenticated = false
    for (;;) {
      const credential = await this.#credential(call, deadline)
      const sent = this.#clock.monotonic()
      const answered = () => slot.answered(`${call.verb} ${call.kind}`, this.#clock.monotonic() - sent)
      let response: HttpResponse
      try {
        response = await this.#send(call, credential, deadline)
      } catch (error) {
        if (call.method !== 'GET' || !(error instanceof ConnectionError)) throw error
        brokenOff += 1
        const delay = delayAfter(brokenOff, brokenReads.backoff, this.#random)
        if (brokenOff >= brokenReads.tries || this.#clock.monotonic() + delay >= deadline) throw error
        await sleep(this.#clock, delay, call.signal)
        continue
      }
      if (response.status < 300) {
        answered()
        return response
      }
      if (!reauthenticated && (await this.#mayRetry(response.status, credential))) {
        reauthenticated = true
        continue
      }
      const error = this.#apiError(call, response, credential)
      const { retryAfterMs } = error
      if (!isOverload(error) || retryAfterMs === undefined) {
        answered() // A refusal is an answer too: the server had the time for it.
        throw error
      }
      slot.overloaded()
      if (call.noRetry || this.#clock.monotonic() + retryAfterMs >= deadline) throw error
      await this.#waitOut(call, slot, { retryAfterMs, deadline, error })
    }
  }

  /** Others may keep all places for longer than the call has time: it then fails with the overload, as it does without a wait. */
  async #waitOut(
    call: Call,
    slot: Slot,
    { retryAfterMs, deadline, error }: { retryAfterMs: number; deadline: number; error: ApiError },
  ): Promise<void> {
    const overdue = new AbortController()
    const cancel = this.#clock.after(deadline - this.#clock.monotonic(), () => overdue.abort(error))
    try {
      const wait = () => sleep(this.#clock, retryAfterMs, AbortSignal.any(signalsOf(call)))
      await slot.waitOut(wait, overdue.signal)
    } finally {
      cancel()
    }
  }

  /** A plugin may take minutes to log a person in: neither the deadline nor the guard waits for that. */
  async #credential(call: Call, deadline: number): Promise<Credential> {
    const current = this.#access.credentials.current(call.signal)
    if (!(current instanceof Promise)) return current
    const overdue = new AbortController()
    const remaining = deadline - this.#clock.monotonic()
    const problem = `its credentials were not to be had in time from ${this.#access.source}`
    const cancel = Number.isFinite(remaining)
      ? this.#clock.after(remaining, () => overdue.abort(new ConnectionError(call.attempt(), problem)))
      : () => {}
    try {
      return await rejectOnAbort(current, AbortSignal.any([...signalsOf(call), overdue.signal]))
    } finally {
      cancel()
    }
  }

  #send(call: Call, credential: Credential, deadline: number): Promise<HttpResponse> {
    const remaining = deadline - this.#clock.monotonic()
    const { guard, maxBytes = defaultMaxBytes } = call
    if (guard === undefined) {
      return this.#timed(call, () =>
        this.#transport.send({ ...this.#request(call), timeoutMs: remaining, maxBytes }, credential),
      )
    }
    // The server gets the same deadline: it must not carry out, from a queue of its own, the write of a process
    // that meanwhile was frozen and has lost its permission.
    const timeoutMs = Math.max(1, Math.floor(Math.min(remaining, guard.check())))
    const request = this.#request(call)
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}timeout=${timeoutMs}ms`
    const beforeSend = () => void guard.check()
    return this.#timed(call, () =>
      this.#transport.send({ ...request, path, timeoutMs, maxBytes, beforeSend }, credential),
    )
  }

  #request(call: Call): Omit<HttpRequest, 'timeoutMs'> {
    const { method, path, body } = call
    return {
      method,
      path: this.#basePath + path,
      headers: this.#headersFor(call),
      body,
      signals: signalsOf(call),
    }
  }

  /** Few forms are asked for and sent, again and again. */
  #headersFor({ accept = 'application/json', contentType = '' }: Call): HttpRequest['headers'] {
    const form = `${accept} ${contentType}`
    const known = this.#headers.get(form)
    if (known !== undefined) return known
    const headers = {
      accept,
      ...this.#ownHeaders,
      ...(contentType !== '' && { 'content-type': contentType }),
    }
    this.#headers.set(form, headers)
    return headers
  }

  async #timed<R extends { status: number }>(call: Call, send: () => Promise<R>): Promise<R> {
    const { verb, kind } = call
    const start = this.#clock.monotonic()
    try {
      const response = await send()
      this.#metrics.requests.inc({ verb, kind, code: response.status })
      return response
    } catch (error) {
      this.#metrics.requests.inc({ verb, kind, code: 'error' })
      if (error instanceof WriteRefusedError || signalsOf(call).some(({ aborted }) => aborted)) throw error
      if (error instanceof BodyTooLongError) throw new ResponseTooLargeError(call.attempt(), error.message)
      throw this.connectionError(call, error)
    } finally {
      this.#metrics.requestDuration.observe({ verb, kind }, (this.#clock.monotonic() - start) / 1000)
    }
  }

  #apiError(call: Call, { status, headers, body }: HttpResponse, credential: Credential): ApiError {
    const said = statusOf(withoutCredential(body, credential))
    const hint = status === 401 ? `; check the credentials in ${this.#access.source}` : ''
    const withHint = { ...said, message: `${said.message}${hint}` }
    return new ApiError(call.attempt(), status, withHint, retryAfterMs(headers, this.#clock))
  }

  async #mayRetry(status: number, credential: Credential): Promise<boolean> {
    return status === 401 && (await this.#access.credentials.rejected(credential))
  }
}

const isOverload = ({ code }: ApiError) => code === 429 || code === 503

function signalsOf({ signal, guard }: Pick<Call, 'signal' | 'guard'>): AbortSignal[] {
  if (guard === undefined) return signal === undefined ? [] : [signal]
  return signal === undefined ? [guard.signal] : [signal, guard.signal]
}

function impersonationHeaders({ impersonate }: ClusterAccess): Record<string, string | string[]> {
  if (impersonate === undefined) return {}
  const { user, uid, groups = [], extra = {} } = impersonate
  return {
    ...(user !== undefined && { 'impersonate-user': asHeader(user) }),
    ...(uid !== undefined && { 'impersonate-uid': asHeader(uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map(asHeader) }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key)}`,
        values.map(asHeader),
      ]),
    ),
  }
}

/** The API server reads headers as UTF-8, but Node writes one byte for each character. */
function asHeader(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1')
}

/** A proxy in front of the API server may echo the request in its response: the credential must not reach logs. */
function withoutCredential(text: string, { authorization = '' }: Credential): string {
  const secret = authorization.replace(/^\w+ /, '')
  return secret.length < shortestSecret ? text : text.replaceAll(secret, '…')
}

/** Anything shorter guards nothing, and may well be part of an ordinary word. */
const shortestSecret = 8

/** The server's Status; what is in front of it (a proxy, a login page) may answer with something else. */
function statusOf(body: string): Status {
  try {
    const status = JSON.parse(body) as Status
    if (typeof status === 'object' && status !== null && typeof status.message === 'string') return status
  } catch {
    // Not JSON: shown as it is.
  }
  return { message: body.trim().slice(0, 300) || 'the answer was empty' }
}

function retryAfterMs(headers: IncomingHttpHeaders, clock: Clock): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now().getTime())
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The parsed text of a response; a client may share what it parses, which is never changed. */
export type ParseJson = (text: string) => unknown

export function parseResponse(body: string, attempt: () => Attempt, parseJson: ParseJson): unknown {
  try {
    return parseJson(body)
  } catch (cause) {
    throw new MalformedResponseError(attempt(), `the answer is not JSON: ${body.slice(0, 100)}`, cause)
  }
}
