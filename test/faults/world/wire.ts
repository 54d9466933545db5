import { DeadlineError } from '../../../src/kube/http/exchange.ts'
import type { Carrier, HttpRequest, HttpResponse, HttpStream } from '../../../src/kube/http/messages.ts'
import type { WatchLine } from '../../../src/sandbox/server/watcher.ts'
import type { Answer, Api } from './api.ts'
import { jsonText } from './json-text.ts'
import type { Traffic } from './traffic.ts'
import type { ProcessClock, WorldClock } from './world-clock.ts'

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
  /** Answered so, and not carried out. */
  | { readonly fate: 'refused'; readonly code: number; readonly retryAfter?: string }
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

/** Requests wait this long for news; events come a moment after the answer to the write that they tell of. */
const eventLagMs = 2
const noticedAfterMs = 400

export interface WireOptions {
  readonly api: Api
  readonly clock: WorldClock
  readonly process: Process
  readonly traffic: Traffic
  readonly interference: Interference
  readonly onRequest: (point: RequestPoint, fate: RequestFate, answer: Answer | undefined) => void
}

/** Between an operator and the API server, in place of a network. */
export class Wire implements Carrier {
  readonly #options: WireOptions
  readonly #streams = new Set<Stream>()
  readonly #hanging = new Set<WireExchange>()

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
    const { process } = this.#options
    if (process.clock.isDead) return new Promise(() => {})
    return new Promise((resolve, reject) => {
      const exchange = new WireExchange(request, process.clock, resolve, reject)
      if (exchange.isOver) return
      try {
        request.beforeSend?.()
      } catch (error) {
        exchange.fail(error as Error)
        return
      }
      this.#send(request, exchange)
    })
  }

  #send(request: HttpRequest, exchange: WireExchange): void {
    const { interference, process, traffic, onRequest } = this.#options
    const point = this.#point(request)
    const fate = interference.request(point)
    switch (fate.fate) {
      case 'passes': {
        const answer = this.#carryOut(request)
        onRequest(point, fate, answer)
        if (fate.delayMs === undefined) exchange.succeed(answer)
        else process.clock.after(fate.delayMs, () => exchange.succeed(answer))
        break
      }
      case 'refused': {
        const answer = refusal(fate.code, fate.retryAfter)
        onRequest(point, fate, answer)
        exchange.succeed(answer)
        break
      }
      case 'breaks':
        onRequest(point, fate, fate.when === 'after' ? this.#carryOut(request) : undefined)
        exchange.fail(reset())
        break
      case 'hangs':
        onRequest(point, fate, fate.when === 'after' ? this.#carryOut(request) : undefined)
        traffic.pending++
        this.#hanging.add(exchange)
        exchange.onOver(() => {
          traffic.pending--
          this.#hanging.delete(exchange)
        })
        break
      case 'kills':
        onRequest(point, fate, fate.when === 'after' ? this.#carryOut(request) : undefined)
        process.die()
        break
      case 'stops': {
        // Before: it has not left the machine, and the guard is asked once more when it does.
        const before = fate.when === 'before'
        const answer = before ? undefined : this.#carryOut(request)
        onRequest(point, fate, answer)
        process.stopFor(fate.forMs)
        if (fate.untilWrite !== undefined)
          traffic.afterWritesOfOthers(process.name, fate.untilWrite, () =>
            this.#options.clock.after(0, () => process.clock.goOn()),
          )
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
      exchange.succeed(this.#carryOut(request))
    } catch (error) {
      exchange.fail(error as Error)
    }
  }

  async stream(request: Omit<HttpRequest, 'timeoutMs'>): Promise<HttpStream> {
    const { interference, process, clock, onRequest } = this.#options
    const point = this.#point(request)
    const fate = interference.request(point)
    if (fate.fate === 'refused') {
      const { status, body } = refusal(fate.code, fate.retryAfter)
      onRequest(point, fate, undefined)
      return { status, headers: {}, body: only(body) }
    }
    if (fate.fate === 'kills') process.die()
    if (process.clock.isDead) return new Promise(() => {})
    const answer = this.#carryOut(request)
    onRequest(point, fate, answer)
    if (fate.fate === 'breaks' || fate.fate === 'hangs') throw reset()
    if ('status' in answer) return { status: answer.status, headers: {}, body: only(answer.body) }
    const stream = new Stream(clock, process, (line) => this.#fateOf(point.path, line), this.#options)
    this.#streams.add(stream)
    const [signal] = request.signals
    stream.begin(answer, signal, () => this.#streams.delete(stream))
    return { status: 200, headers: {}, body: stream }
  }

  #fateOf(path: string, line: WatchLine): EventFate {
    if (line.type === 'BOOKMARK' || line.type === 'ERROR') return { fate: 'passes' }
    const { traffic, process, interference } = this.#options
    const { reconciles } = traffic
    return interference.event({ number: ++traffic.events, operator: process.name, path, line, reconciles })
  }

  #point({ method, path }: Pick<HttpRequest, 'method' | 'path'>): RequestPoint {
    const { traffic, process } = this.#options
    const isWrite = method !== 'GET'
    return { number: ++traffic.requests, operator: process.name, method, path, isWrite }
  }

  #carryOut({ method, path, headers, body }: Omit<HttpRequest, 'timeoutMs'>): Answer {
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
    const aborted = request.signals.find((signal) => signal.aborted)
    if (aborted !== undefined) this.fail(aborted.reason as Error)
    else for (const signal of request.signals) signal.addEventListener('abort', this.#onAbort)
  }

  onOver(callback: () => void): void {
    this.#whenOver = callback
  }

  succeed(answer: Answer): void {
    if (this.isOver || !('status' in answer)) return
    this.#end()
    const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }
    this.#resolve({ status: answer.status, headers, body: answer.body })
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

/** The lines of one watch on their way, in order. */
class Stream implements AsyncIterable<Buffer> {
  readonly #clock: WorldClock
  readonly #process: Process
  readonly #fateOf: (line: WatchLine) => EventFate
  readonly #traffic: Traffic
  readonly #api: Api
  /** What has arrived and was not read yet. */
  #arrived: string[] = []
  /** What arrives next, all of one moment. */
  #onTheWay: { at: number; lines: string[] } | undefined
  #lastAt = 0
  #isSilent = false
  /** What waits behind a line that is held back. */
  #held: WatchLine[] | undefined
  #isCoalescing = false
  /** Whether its end is waited for, since nobody says that it is silent. */
  #isAwaited = false
  #ending: Error | 'end' | undefined
  #wake: (() => void) | undefined
  #stopWatch = () => {}
  #whenOver = () => {}

  constructor(
    clock: WorldClock,
    process: Process,
    fateOf: (line: WatchLine) => EventFate,
    { traffic, api }: Pick<WireOptions, 'traffic' | 'api'>,
  ) {
    this.#clock = clock
    this.#process = process
    this.#fateOf = fateOf
    this.#traffic = traffic
    this.#api = api
  }

  begin(
    { watch, timeoutSeconds }: Extract<Answer, { watch: unknown }>,
    signal: AbortSignal | undefined,
    whenOver: () => void,
  ): void {
    // Of a silent connection nobody hears the end either.
    const cancel = this.#clock.after(timeoutSeconds * 1000, () => {
      if (!this.#isSilent) this.#finish('end')
    })
    this.#whenOver = () => {
      cancel()
      whenOver()
    }
    signal?.addEventListener('abort', () => this.#finish(signal.reason as Error), { once: true })
    this.#stopWatch = watch((line) => this.#send(line))
  }

  end(): void {
    this.#finish('end')
  }

  #send(line: WatchLine): void {
    if (this.#isSilent || this.#ending !== undefined) return
    const fate = this.#fateOf(line)
    if (this.#held !== undefined) {
      this.#holdBack(line)
      return
    }
    const text = textOf(line)
    switch (fate.fate) {
      case 'passes':
        this.#push(text, fate.delayMs ?? 0)
        break
      case 'doubled':
        this.#push(text + text, 0)
        break
      case 'lost':
        this.#isSilent = true
        this.#clock.after(noticedAfterMs, () => {
          // From now on nobody can watch from before; who tries is told to list again.
          this.#api.storage.compact()
          this.#push(`${JSON.stringify(tooOld)}\n`, 0)
          this.#clock.after(eventLagMs + 1, () => this.#finish('end'))
        })
        break
      case 'coalesced':
        this.#held = [line]
        this.#isCoalescing = true
        this.#clock.after(fate.mostMs, () => this.#letGo())
        break
      case 'frozen':
        this.#held = [line]
        this.#traffic.afterReconciles(fate.untilReconcile, () => this.#letGo())
        this.#clock.after(fate.mostMs, () => this.#letGo())
        break
      case 'cut':
        this.#finish(reset())
        break
      case 'silence':
        this.#isSilent = true
        this.#isAwaited = true
        this.#traffic.pending++
        break
    }
  }

  #holdBack(line: WatchLine): void {
    const [first] = this.#held ?? []
    if (this.#isCoalescing && first !== undefined && nameOf(first) === nameOf(line)) {
      this.#held = [...(this.#held ?? []).slice(1), ...coalesced(first, line)]
      this.#letGo()
    } else this.#held?.push(line)
  }

  #letGo(): void {
    const lines = this.#held ?? []
    this.#held = undefined
    this.#isCoalescing = false
    for (const line of lines) this.#push(textOf(line), 0)
  }

  #push(text: string, delayMs: number): void {
    const at = Math.max(this.#lastAt, this.#clock.monotonic() + eventLagMs + delayMs)
    this.#lastAt = at
    if (this.#onTheWay?.at === at) {
      this.#onTheWay.lines.push(text)
      return
    }
    const batch = { at, lines: [text] }
    this.#onTheWay = batch
    this.#clock.after(at - this.#clock.monotonic(), () => {
      if (this.#onTheWay === batch) this.#onTheWay = undefined
      this.#process.clock.whenRunning(() => {
        this.#arrived.push(...batch.lines)
        this.#wake?.()
      })
    })
  }

  #finish(how: Error | 'end'): void {
    if (this.#ending !== undefined) return
    this.#ending = how
    if (this.#isAwaited) this.#traffic.pending--
    this.#stopWatch()
    this.#whenOver()
    this.#process.clock.whenRunning(() => this.#wake?.())
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#arrived.length > 0) {
        const text = this.#arrived.join('')
        this.#arrived = []
        yield Buffer.from(text)
      } else if (this.#ending !== undefined) {
        if (this.#ending === 'end') return
        throw this.#ending
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#wake = undefined
      }
    }
  }
}

function textOf({ type, object }: WatchLine): string {
  return `{"type":"${type}","object":${jsonText(object)}}\n`
}

function nameOf({ object }: WatchLine): string {
  const { metadata } = object as { metadata?: { namespace?: string; name?: string } }
  return `${metadata?.namespace}/${metadata?.name}`
}

/** Two lines about one object as one: what came and went in between was never there. */
function coalesced(first: WatchLine, second: WatchLine): WatchLine[] {
  if (first.type === 'DELETED') return [first, second]
  if (second.type !== 'DELETED') return [{ type: first.type, object: second.object }]
  return first.type === 'ADDED' ? [] : [second]
}

const tooOld = {
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' },
}

const reasons: Readonly<Record<number, string>> = {
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}

function refusal(code: number, retryAfter?: string): Extract<Answer, { status: number }> {
  const reason = reasons[code] ?? ''
  const status = { kind: 'Status', code, reason, message: `a fault: ${reason}`, details: { name: 'it' } }
  return { status: code, body: JSON.stringify(status), ...(retryAfter !== undefined && { retryAfter }) }
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}

async function* only(body: string): AsyncGenerator<Buffer> {
  yield Buffer.from(body)
}
