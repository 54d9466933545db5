import { STATUS_CODES } from 'node:http'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import { ConnectionBudget } from './connection-budget.ts'
import { endOfHead, mostHeadBytes, parseRequestHead, type RequestHead } from './request-head.ts'
import { Scrape } from './scrape.ts'
import type { ScrapeAccess } from './scrape-access.ts'

/** Something that must be well for this process to be ready. */
export interface HealthCheck {
  readonly name: string
  /** In words, what is wrong; nothing if all is well. */
  problem(): string | undefined
}

/** Where to serve health and metrics. */
export interface HealthAddress {
  /** All addresses of the machine, of both families, unless given. */
  readonly host?: string | undefined
  readonly port: number
}

export interface HealthServerOptions {
  readonly checks: readonly HealthCheck[]
  readonly metrics: Pick<Metrics, 'registry'>
  /** Decides who may read the metrics; without it every client may. */
  readonly access?: Pick<ScrapeAccess, 'refusalOf'>
  readonly clock?: Clock
}

/** A whole connection, from the first byte to the last, may take this long. */
const deadlineMs = 10_000

interface HealthResponse {
  readonly status: number
  readonly body: string
  readonly contentType?: string
}

/**
 * `/healthz` (the process answers), `/readyz` (and does its work; each check in a line) and `/metrics`.
 * Whether the API server is away is a matter of readiness: restarting this process would not bring it back.
 *
 * Nothing that is asked here may keep the process from its work, above all from renewing its lease. So what it costs is
 * bounded, whatever comes: so many connections, of one peer and of all; one request on each, of a few kilobytes, within
 * seconds; one scrape a second.
 */
export class HealthServer {
  readonly #checks: readonly HealthCheck[]
  readonly #contentType: string
  readonly #scrape: Scrape
  readonly #access: HealthServerOptions['access']
  readonly #clock: Clock
  readonly #server: Server
  readonly #budget = new ConnectionBudget<Socket>()
  readonly #sockets = new Set<Socket>()

  constructor({ checks, metrics, access, clock = systemClock }: HealthServerOptions) {
    this.#access = access
    this.#checks = checks
    this.#contentType = metrics.registry.contentType
    this.#scrape = new Scrape(metrics.registry, clock)
    this.#clock = clock
    this.#server = createServer((socket) => this.#connected(socket))
  }

  /**
   * Listens; returns the port, which the system chooses when it is 0. Without a host it listens on all addresses of
   * both families, or of IPv4 where the machine has no IPv6: a kubelet probes the address that the pod has.
   */
  listen({ host, port }: HealthAddress): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(
          new Error(`Cannot serve health and metrics ${placeOf({ host, port })}: ${error.message}`, {
            cause: error,
          }),
        ),
      )
      this.#server.listen({ port, ...(host !== undefined && { host }) }, () => {
        const address = this.#server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    })
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      for (const socket of this.#sockets) socket.destroy()
    })
  }

  #connected(socket: Socket): void {
    const peer = socket.remoteAddress ?? ''
    const { admitted, evicted } = this.#budget.admit(socket, peer, this.#clock.monotonic())
    evicted?.destroy()
    // What a peer does to its own connection is its business.
    socket.on('error', () => {})
    if (!admitted) return void socket.resetAndDestroy()
    this.#sockets.add(socket)
    const stopWaiting = this.#clock.after(deadlineMs, () => socket.destroy())
    socket.once('close', () => {
      stopWaiting()
      this.#sockets.delete(socket)
      this.#budget.release(socket, peer)
    })
    this.#read(socket)
  }

  /** Reads one request, and nothing of what comes after it. */
  #read(socket: Socket): void {
    let received = ''
    const onData = (chunk: Buffer) => {
      // From where the end may have begun: what comes byte by byte is not searched anew each time.
      const from = Math.max(0, received.length - endOfHead.length + 1)
      received += chunk.toString('latin1', 0, mostHeadBytes)
      const end = received.indexOf(endOfHead, from)
      if (end === -1 && received.length < mostHeadBytes) return
      socket.off('data', onData)
      socket.pause()
      this.#answer(end === -1 ? undefined : received.slice(0, end), socket).catch((error: unknown) =>
        send(socket, { status: 500, body: `${String(error)}\n` }),
      )
    }
    socket.on('data', onData)
  }

  async #answer(text: string | undefined, socket: Socket): Promise<void> {
    if (text === undefined) return send(socket, tooLong)
    const head = parseRequestHead(text)
    if (head === undefined) return send(socket, notHttp)
    send(socket, await this.#answerTo(head), head)
  }

  async #answerTo({ method, path, authorization }: RequestHead): Promise<HealthResponse> {
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, body: 'Only GET and HEAD are answered.\n' }
    if (path === '/healthz') return { status: 200, body: 'ok\n' }
    if (path === '/readyz') return this.#ready()
    if (path === '/metrics') return this.#metrics(authorization)
    return { status: 404, body: 'There are /healthz, /readyz and /metrics.\n' }
  }

  async #metrics(authorization: string | undefined): Promise<HealthResponse> {
    const refusal = await this.#access?.refusalOf(authorization)
    return refusal ?? { status: 200, body: await this.#scrape.read(), contentType: this.#contentType }
  }

  #ready(): HealthResponse {
    const results = this.#checks.map((check) => ({ name: check.name, problem: check.problem() }))
    const lines = results.map(({ name, problem }) =>
      problem === undefined ? `[+] ${name}` : `[-] ${name}: ${problem}`,
    )
    const ready = results.every(({ problem }) => problem === undefined)
    return { status: ready ? 200 : 503, body: `${[...lines, ready ? 'ready' : 'not ready'].join('\n')}\n` }
  }
}

const tooLong: HealthResponse = { status: 431, body: `A request has at most ${mostHeadBytes} bytes here.\n` }
const notHttp: HealthResponse = { status: 400, body: 'This is not an HTTP/1 request.\n' }

/** The connection ends with the response: each request needs a connection, and counts. */
function send(
  socket: Socket,
  { status, body, contentType = 'text/plain; charset=utf-8' }: HealthResponse,
  head?: RequestHead,
): void {
  const bytes = Buffer.from(body)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${bytes.length}`,
    'connection: close',
  ]
  socket.write(`${lines.join('\r\n')}${endOfHead}`)
  socket.end(head?.method === 'HEAD' ? '' : bytes, () => socket.destroy())
}

function placeOf({ host, port }: HealthAddress): string {
  if (host === undefined) return `on port ${port} of all addresses`
  return `at ${isIPv6(host) ? `[${host}]` : host}:${port}`
}
