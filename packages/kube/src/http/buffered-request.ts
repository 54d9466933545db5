import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { onAbort } from '../abort.ts'
import type { Clock } from '../clock.ts'
import type { HttpRequest, HttpResponse } from './messages.ts'

/** The deadline of a request passed before the answer had come. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  constructor(timeoutMs: number) {
    super(
      `no answer within ${timeoutMs < 1000 ? `${Math.ceil(timeoutMs)} ms` : `${(timeoutMs / 1000).toFixed(1)} s`}`,
    )
  }
}

/** More came than was to be read. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLongError'
  constructor(maxBytes: number) {
    super(`the answer is longer than ${Math.round(maxBytes / 1024)} KiB`)
  }
}

/**
 * One request and its answer. Handed to undici directly: without a stream for the body this is measurably faster
 * than `pool.request`, and `onRequestStart` is the only place that runs in the same breath as the write to the
 * socket, which is where a leadership check belongs.
 */
export class BufferedRequest implements Dispatcher.DispatchHandler {
  readonly response: Promise<HttpResponse>
  readonly #request: HttpRequest
  /** What must be called off when the exchange has ended: the deadline, and waiting for the signals. */
  readonly #limits: (() => void)[]
  #chunks: Buffer[] = []
  #length = 0
  #resolve!: (response: HttpResponse) => void
  #reject!: (error: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #stopped: Error | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}

  constructor(request: HttpRequest, clock: Clock) {
    this.#request = request
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#limits = [
      clock.after(request.timeoutMs, () => this.#stop(new DeadlineError(request.timeoutMs))),
      ...request.signals.map((signal) => onAbort(signal, this.#stop)),
    ]
    const aborted = request.signals.find((signal) => signal.aborted)
    if (aborted !== undefined) this.#stop(aborted.reason as Error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stopped !== undefined) throw this.#stopped
    this.#request.beforeSend?.()
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#request
    if (this.#length <= maxBytes) return
    this.#chunks = []
    this.#stop(new BodyTooLongError(maxBytes))
  }

  onResponseEnd(): void {
    this.#settle()
    this.#resolve({ status: this.#status, headers: this.#headers, body: decode(this.#chunks) })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle()
    this.#reject(error)
  }

  readonly #stop = (reason: Error) => {
    this.#stopped = reason
    this.#settle()
    this.#reject(reason)
    this.#controller?.abort(reason)
  }

  #settle(): void {
    for (const callOff of this.#limits) callOff()
  }
}

function decode(chunks: readonly Buffer[]): string {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined
    ? only.toString('utf8')
    : Buffer.concat(chunks).toString('utf8')
}
