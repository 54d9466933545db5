import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deferred } from './deferred.ts'
import type { SeenRequest } from './requests.ts'

const readingTimeMs = 10

/** The client's side of one request: what reaches it, and when. */
export class Exchange {
  readonly request: SeenRequest
  readonly #response: ServerResponse
  readonly #connection: Socket
  readonly #closed = new AbortController()
  readonly #over = new Deferred()
  #held: Promise<unknown> | undefined

  /** `connection` is the bare TCP connection below TLS: only that can be reset. */
  constructor(request: SeenRequest, response: ServerResponse, connection: Socket) {
    this.request = request
    this.#response = response
    this.#connection = connection
    response.once('close', () => {
      this.#closed.abort()
      this.#over.resolve()
    })
  }

  /** Aborts when the exchange is over, be it complete or cut off. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Sends nothing from now on until this resolves. Holds add up. */
  holdUntil(lifted: Promise<void>): void {
    this.#held = Promise.all([this.#held, lifted])
  }

  /** Cuts the client's connection without a word (RST). */
  reset(): void {
    this.#connection.resetAndDestroy()
  }

  /**
   * Cuts the connection when the client has had the time to read what it was sent. If both came at once, Node
   * (libuv) would take the RST for a regular end.
   */
  async resetAfterReading(): Promise<void> {
    await sleep(readingTimeMs)
    this.reset()
  }

  async sendHead(status: number, headers: Record<string, string | string[]>): Promise<void> {
    await this.#flowing()
    this.request.status = status
    this.#response.writeHead(status, headers)
    // A watch may have nothing to say for long, and its client waits for the head. Others come in one piece.
    if (headers['content-length'] === undefined) this.#response.flushHeaders()
  }

  /** Resolves when all of it has been handed to the kernel, so that a reset does not overtake it. */
  async send(chunk: Buffer | string): Promise<void> {
    await this.#flowing()
    if (chunk.length === 0) return
    await new Promise<void>((resolve, reject) => {
      this.#response.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  }

  async sendAll(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) await this.send(chunk)
  }

  async end(): Promise<void> {
    await this.#flowing()
    this.#response.end()
  }

  /** Waits while something holds the exchange; rejects once the client is gone. */
  async #flowing(): Promise<void> {
    this.closed.throwIfAborted()
    for (let held = this.#held; held !== undefined; held = this.#held) {
      await Promise.race([held, this.#over.promise])
      this.closed.throwIfAborted()
      if (held === this.#held) this.#held = undefined
    }
  }
}
