import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { headers } from '../probe/attempt.ts'
import type { IdentityCertificate } from './identity-certificate.ts'
import type { ReceivedProbe } from './received-probe.ts'
import { answerTo, type ListenerName, type Readiness } from './responses.ts'

export interface ListenerOptions {
  readonly name: ListenerName
  readonly address: string
  readonly port: number
  readonly identity: IdentityCertificate
  readonly readiness: () => Readiness
  readonly saw: (probe: ReceivedProbe) => void
  readonly now: () => number
}

/** The first byte of TLS. */
const handshake = 0x16

/** The beginnings of the PROXY protocol, first and second version: no node understands it unless it is configured to. */
const proxyHeaders = [Buffer.from('PROXY '), Buffer.from('\r\n\r\n\0\r\nQUIT\n')]

/** Routers report readiness over TLS and in clear text. */
const speaksClearText: ReadonlySet<ListenerName> = new Set(['http', 'router'])

/** One port of a fake backend. It distinguishes TLS from clear text by the first byte, and records received probes. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #secure: Server
  readonly #clear: Server
  readonly #sockets = new Set<Socket>()
  /** Connections whose requests have been recorded, by their source. */
  readonly #identified = new Set<string>()
  #server: NetServer | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
    const { certificate: cert, key } = options.identity
    // A connection that is silent must end by the load balancer's hand, if at all.
    const patience = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }
    this.#secure = createHttps({ cert, key, ...patience }, (request, response) =>
      this.#answer(request, response, true),
    )
    this.#clear = createHttp(patience, (request, response) => this.#answer(request, response, false))
    this.#secure.on('tlsClientError', (_, socket: Socket) => socket.destroy())
  }

  async open(): Promise<void> {
    if (this.#server !== undefined) return
    const server = createServer((socket) => this.#accept(socket))
    server.listen({ host: this.#options.address, port: this.#options.port })
    await once(server, 'listening')
    this.#server = server
  }

  /** Refuses new connections; existing ones stay. */
  refuse(): void {
    this.#server?.close()
    this.#server = undefined
  }

  close(): void {
    this.refuse()
    for (const socket of this.#sockets) socket.destroy()
  }

  #accept(socket: Socket): void {
    const place = placeOf(socket)
    let kind: Exclude<ReceivedProbe['kind'], 'request'> = 'connection'
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!this.#identified.delete(place))
        this.#saw({ kind, isTls: kind === 'tls', from: socketAddress(place) })
    })
    socket.once('data', (chunk: Buffer) => {
      const isTls = chunk[0] === handshake
      if (isTls) kind = 'tls'
      if (proxyHeaders.some((header) => chunk.subarray(0, header.length).equals(header))) {
        kind = 'proxy'
        socket.destroy()
        return
      }
      socket.pause()
      socket.unshift(chunk)
      ;(isTls && this.#options.name !== 'http' ? this.#secure : this.#clear).emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  }

  #answer(request: IncomingMessage, response: ServerResponse, isTls: boolean): void {
    const { name, address, readiness } = this.#options
    const path = request.url?.split('?')[0] ?? '/'
    const place = placeOf(request.socket)
    const isWelcome = isTls || speaksClearText.has(name)
    const { status, body } = isWelcome
      ? answerTo(name, path, readiness())
      : { status: 400, body: 'Client sent an HTTP request to an HTTPS server.\n' }
    this.#identified.add(place)
    if (request.headers[headers.probe] === undefined)
      this.#saw({ kind: 'request', isTls, path, status, from: socketAddress(place) })
    response.writeHead(status, {
      [headers.backend]: address,
      [headers.service]: name,
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }

  #saw(probe: Omit<ReceivedProbe, 'listener' | 'atMs'>): void {
    this.#options.saw({ ...probe, listener: this.#options.name, atMs: this.#options.now() })
  }
}

function placeOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function socketAddress(place: string): string {
  return place.split(' ')[0] ?? ''
}
