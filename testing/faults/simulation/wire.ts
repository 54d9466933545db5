import { DeadlineError } from '@portcullis/kube/internal/http/buffered-request.ts'
import type {
  HttpRequest,
  HttpResponse,
  HttpStream,
  HttpTransport,
} from '@portcullis/kube/internal/http/messages.ts'
import type { WatchLine } from '@portcullis/sandbox/internal/server/watcher.ts'
import type { Api, ApiResponse } from './api.ts'
import type { ProcessClock, SimulatedClock } from './simulated-clock.ts'
import type { Traffic } from './traffic.ts'
import { reset, WatchStream } from './watch-stream.ts'

/** One request of an operator, by which faults are aimed. */
export interface RequestPoint {
  readonly number: number
  readonly operator: string
  readonly method: string
  readonly path: string
  readonly isWrite: boolean
}

/** One line of a watch on its way to an operator. */
export interface EventPoint {
  readonly number: number
  readonly operator: string
  readonly path: string
  readonly line: WatchLine
  /** How many reconciles had ended by then. */
  readonly reconciles: number
}

/** What becomes of a request. */
export type RequestFate =
  | { readonly fate: 'passes'; readonly delayMs?: number }
  /** Answered so; not carried out, or carried out all the same, which no answer shows. */
  | {
      readonly fate: 'refused'
      readonly code: number
      readonly retryAfter?: string
      readonly when?: 'after'
    }
  /** No answer comes, until the deadline passes; it was carried out, or not. */
  | { readonly fate: 'hangs'; readonly when: 'before' | 'after' }
  /** The connection breaks. */
  | { readonly fate: 'breaks'; readonly when: 'before' | 'after' }
  /** The operator dies. */
  | { readonly fate: 'kills'; readonly when: 'before' | 'after' }
  /** The operator is stopped for so long, as by SIGSTOP, or until another one has written so often. */
  | {
      readonly fate: 'stops'
      readonly when: 'before' | 'after'
      readonly forMs: number
      readonly untilWrite?: number
    }

/** What becomes of a line of a watch, and of all that come behind it in the same watch. */
export type EventFate =
  | { readonly fate: 'passes'; readonly delayMs?: number }
  /** Lost; the server notices some time later that it no longer knows where the watcher was. */
  | { readonly fate: 'lost' }
  | { readonly fate: 'doubled' }
  /** Waits for the next line about the same object, which takes its place. */
  | { readonly fate: 'coalesced'; readonly mostMs: number }
  /** Waits until so many more reconciles have ended. */
  | { readonly fate: 'frozen'; readonly untilReconcile: number; readonly mostMs: number }
  /** The connection breaks before it. */
  | { readonly fate: 'cut' }
  /** Nothing comes any more, and nobody says so. */
  | { readonly fate: 'silence' }

/** What goes wrong between operators and the API server. */
export interface Interference {
  request(point: RequestPoint): RequestFate
  event(point: EventPoint): EventFate
}

/** What a wire needs to know of the process at its end. */
export interface Process {
  readonly name: string
  readonly clock: ProcessClock
  die(): void
  stopFor(milliseconds: number): void
}

export interface WireOptions {
  readonly api: Api
  readonly clock: SimulatedClock
  readonly process: Process
  readonly traffic: Traffic
  readonly interference: Interference
  readonly onRequest: (point: RequestPoint, fate: RequestFate, answer: ApiResponse | undefined) => void
}

/** Between an operator and the API server, in place of a network. */
export class Wire implements HttpTransport {
  readonly #options: WireOptions
  readonly #streams = new Set<WatchStream>()
  readonly #hanging = new Set<WireExchange | HangingWatch>()

  constructor(options: WireOptions) {
    this.#options = options
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** Ends all that is under way: the process at the end is dead. */
  cut(): void {
    for (const stream of this.#streams) stream.end()
    for (const exchange of this.#hanging) exchange.fail(reset())
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    const { process, interference, onRequest } = this.#options
    if (process.clock.isDead) return new Promise(() => {})
    return new Promise((resolve, reject) => {
      const aborted = request.signals.find((signal) => signal.aborted)
      if (aborted !== undefined) throw aborted.reason
      request.beforeSend?.()
      const point = this.#point(request)
      const fate = interference.request(point)
      // Most are answered at once: nobody has the time to give them up.
      if (fate.fate === 'passes' && fate.delayMs === undefined) {
        const answer = this.#send(request)
        onRequest(point, fate, answer)
        resolve(responseOf(answer))
      } else this.#applyFault(request, point, fate, new WireExchange(request, process.clock, resolve, reject))
    })
  }

  #applyFault(request: HttpRequest, point: RequestPoint, fate: RequestFate, exchange: WireExchange): void {
    const { process, onRequest } = this.#options
    switch (fate.fate) {
      case 'passes': {
        const answer = this.#send(request)
        onRequest(point, fate, answer)
        process.clock.after(fate.delayMs ?? 0, () => exchange.succeed(answer))
        break
      }
      case 'refused': {
        if (fate.when === 'after') this.#send(request)
        const answer = refusal(fate.code, fate.retryAfter)
        onRequest(point, fate, answer)
        exchange.succeed(answer)
        break
      }
      case 'breaks':
        onRequest(point, fate, fate.when === 'after' ? this.#send(request) : undefined)
        exchange.fail(reset())
        break
      case 'hangs':
        onRequest(point, fate, fate.when === 'after' ? this.#send(request) : undefined)
        this.#hang(exchange)
        break
      case 'kills':
        onRequest(point, fate, fate.when === 'after' ? this.#send(request) : undefined)
        process.die()
        break
      case 'stops': {
        // Before: it has not left the machine, and the guard is asked once more when it does.
        const before = fate.when === 'before'
        const answer = before ? undefined : this.#send(request)
        onRequest(point, fate, answer)
        this.#stop(fate)
        process.clock.whenRunning(() => {
          if (answer !== undefined) exchange.succeed(answer)
          else if (!exchange.isOver) this.#sendLate(request, exchange)
        })
        break
      }
    }
  }

  #sendLate(request: HttpRequest, exchange: WireExchange): void {
    try {
      request.beforeSend?.()
      exchange.succeed(this.#send(request))
    } catch (error) {
      exchange.fail(error as Error)
    }
  }

  /** Until it is over, the simulation is not quiescent. */
  #hang(hanging: WireExchange | HangingWatch): void {
    const { traffic, clock } = this.#options
    traffic.pending++
    this.#hanging.add(hanging)
    hanging.onOver(() => {
      traffic.pending--
      traffic.lastRequestAt = clock.monotonic()
      this.#hanging.delete(hanging)
    })
  }

  #stop({ forMs, untilWrite }: Extract<RequestFate, { fate: 'stops' }>): void {
    const { process, clock, traffic } = this.#options
    process.stopFor(forMs)
    if (untilWrite === undefined) return
    traffic.afterWritesOfOthers(process.name, untilWrite, () => clock.after(0, () => process.clock.goOn()))
  }

  async stream(request: Omit<HttpRequest, 'timeoutMs'>): Promise<HttpStream> {
    const { interference, process, onRequest } = this.#options
    if (process.clock.isDead) return new Promise(() => {})
    const point = this.#point(request)
    const fate = interference.request(point)
    switch (fate.fate) {
      case 'passes': {
        const { delayMs } = fate
        const stream = this.#open(request, point, fate)
        if (delayMs !== undefined) await new Promise<void>((go) => process.clock.after(delayMs, go))
        return stream
      }
      case 'stops': {
        const stream = this.#open(request, point, fate)
        this.#stop(fate)
        await new Promise<void>((go) => process.clock.whenRunning(go))
        return stream
      }
      case 'refused': {
        const { status, body, retryAfter } = refusal(fate.code, fate.retryAfter)
        onRequest(point, fate, undefined)
        const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
        return { status, headers, body: only(body) }
      }
      case 'breaks':
        onRequest(point, fate, undefined)
        throw reset()
      case 'hangs': {
        onRequest(point, fate, undefined)
        const watch = new HangingWatch(request.signals[0])
        this.#hang(watch)
        return watch.failure
      }
      case 'kills':
        onRequest(point, fate, undefined)
        process.die()
        return new Promise(() => {})
    }
  }

  /** What the watch brings before anybody reads it waits. */
  #open(request: Omit<HttpRequest, 'timeoutMs'>, point: RequestPoint, fate: RequestFate): HttpStream {
    const { clock, process, onRequest } = this.#options
    const answer = this.#send(request)
    onRequest(point, fate, answer)
    if ('status' in answer) return { status: answer.status, headers: {}, body: only(answer.body) }
    const stream = new WatchStream(clock, process, (line) => this.#pointOf(point.path, line), this.#options)
    this.#streams.add(stream)
    stream.begin(answer, request.signals[0], () => this.#streams.delete(stream))
    return { status: 200, headers: {}, body: stream }
  }

  /** Undefined for what no fault is aimed at. */
  #pointOf(path: string, line: WatchLine): EventPoint | undefined {
    if (line.type === 'BOOKMARK' || line.type === 'ERROR') return undefined
    const { traffic, process } = this.#options
    const { reconciles } = traffic
    return { number: ++traffic.events, operator: process.name, path, line, reconciles }
  }

  #point({ method, path }: Pick<HttpRequest, 'method' | 'path'>): RequestPoint {
    const { traffic, process, clock } = this.#options
    const isWrite = method !== 'GET'
    traffic.lastRequestAt = clock.monotonic()
    return { number: ++traffic.requests, operator: process.name, method, path, isWrite }
  }

  #send({ method, path, headers, body }: Omit<HttpRequest, 'timeoutMs'>): ApiResponse {
    const { api, process, traffic } = this.#options
    const answer = api.as(process.name, () =>
      api.answer({
        method,
        path,
        contentType: headers['content-type'] as string | undefined,
        userAgent: headers['user-agent'] as string,
        body,
      }),
    )
    if (method !== 'GET' && !path.includes('/leases')) traffic.wrote(process.name)
    return answer
  }
}

function responseOf(answer: ApiResponse): HttpResponse {
  if (!('status' in answer)) throw new Error('A watch was asked for where an answer is awaited.')
  const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }
  return { status: answer.status, headers, body: answer.body }
}

/** A request on its way: answered, cut off by a signal, or too late. */
class WireExchange {
  readonly #signals: readonly AbortSignal[]
  readonly #resolve: (response: HttpResponse) => void
  readonly #reject: (error: Error) => void
  readonly #cancelDeadline: () => void
  #whenOver = () => {}
  isOver = false

  constructor(
    request: HttpRequest,
    clock: ProcessClock,
    resolve: (response: HttpResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#signals = request.signals
    this.#resolve = resolve
    this.#reject = reject
    this.#cancelDeadline = clock.after(request.timeoutMs, () =>
      this.fail(new DeadlineError(request.timeoutMs)),
    )
    for (const signal of request.signals) signal.addEventListener('abort', this.#onAbort)
  }

  onOver(callback: () => void): void {
    this.#whenOver = callback
  }

  succeed(answer: ApiResponse): void {
    if (this.isOver) return
    this.#end()
    this.#resolve(responseOf(answer))
  }

  fail(error: Error): void {
    if (this.isOver) return
    this.#end()
    this.#reject(error)
  }

  #end(): void {
    this.isOver = true
    this.#cancelDeadline()
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort)
    this.#whenOver()
  }

  readonly #onAbort = (event: Event) => this.fail((event.target as AbortSignal).reason as Error)
}

/** A watch that never begins, without any answer: the client that asked for it must give up. */
class HangingWatch {
  readonly failure: Promise<never>
  readonly #signal: AbortSignal | undefined
  #reject: (error: Error) => void = () => {}
  #whenOver = () => {}

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    this.failure = new Promise((_, reject) => {
      this.#reject = reject
    })
    signal?.addEventListener('abort', this.#onAbort)
  }

  onOver(callback: () => void): void {
    this.#whenOver = callback
  }

  fail(error: Error): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#reject(error)
    this.#whenOver()
  }

  readonly #onAbort = () => this.fail(this.#signal?.reason as Error)
}

const reasons: Readonly<Record<number, string>> = {
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}

function refusal(code: number, retryAfter?: string): Extract<ApiResponse, { status: number }> {
  const reason = reasons[code] ?? ''
  const status = { kind: 'Status', code, reason, message: `a fault: ${reason}`, details: { name: 'it' } }
  return { status: code, body: JSON.stringify(status), ...(retryAfter !== undefined && { retryAfter }) }
}

async function* only(body: string): AsyncGenerator<Buffer> {
  yield Buffer.from(body)
}
