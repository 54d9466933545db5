import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Certificate,
  certificateAuthority,
  servingCertificate,
} from '@portcullis/kube/internal/certificates.ts'
import { Pool } from 'undici'
import { Body } from './faults/body.ts'
import { Deferred } from './faults/deferred.ts'
import { Exchange } from './faults/exchange.ts'
import type { Fault } from './faults/faults.ts'
import { forwardResponse, type UpstreamResponse } from './faults/forward-response.ts'
import { endToEnd, requestHeaders } from './faults/headers.ts'
import { asSeen, everything, type RequestPredicate, type SeenRequest } from './faults/requests.ts'
import { type Injection, type Rule, Rules } from './faults/rules.ts'
import { freePort } from './free-port.ts'

export interface FaultProxyOptions {
  /** The API server, or whatever else speaks HTTPS. A `ControlPlane` will do. */
  readonly target: { readonly server: string; readonly ca: string }
  /** Signs the proxy's certificate; the proxy makes one for itself unless it is given. */
  readonly authority?: Certificate
}

/**
 * Starts a proxy between a client and an API server that passes everything on, byte by byte as it comes, until it
 * is told to do otherwise. Clients prove themselves by token: a client certificate ends at the proxy.
 *
 *     const proxy = await startFaultProxy({ target: plane })
 *     proxy.inject({ when: watches('ingresses'), fault: respond(429, { retryAfter: 1 }), times: 2 })
 */
export async function startFaultProxy({ target, authority }: FaultProxyOptions): Promise<FaultProxy> {
  const signer = authority ?? (await certificateAuthority('portcullis-fault-proxy'))
  const proxy = new FaultProxy(target, signer.certificate, await servingCertificate(signer), await freePort())
  await proxy.restore()
  return proxy
}

export class FaultProxy {
  readonly url: string
  /** PEM of the authority that clients must trust. */
  readonly ca: string
  readonly #port: number
  readonly #server: Server
  readonly #upstream: Pool
  readonly #rules = new Rules()
  readonly #connections = new Map<number, Socket>()
  readonly #open = new Set<Exchange>()
  #requests: SeenRequest[] = []

  constructor(target: FaultProxyOptions['target'], ca: string, serving: Certificate, port: number) {
    this.ca = ca
    this.url = `https://127.0.0.1:${port}`
    this.#port = port
    // No limit in time and number: there may be many watches, and they may be silent.
    const unlimited = { headersTimeout: 0, bodyTimeout: 0, connections: null }
    this.#upstream = new Pool(target.server, { ...unlimited, connect: { ca: target.ca } })
    this.#server = createServer({
      cert: serving.certificate,
      key: serving.key,
      keepAliveTimeout: 0,
      requestTimeout: 0,
    })
    this.#server.on('connection', (socket: Socket) => this.#remember(socket))
    this.#server.on('request', (message, response) => void this.#handle(message, response))
  }

  /** Everything that was asked, in order of arrival. */
  get requests(): readonly SeenRequest[] {
    return this.#requests
  }

  /** How many such requests there were. */
  seen(when: RequestPredicate): number {
    return this.#requests.filter(when).length
  }

  /** Forgets the requests seen so far. */
  forget(): void {
    this.#requests = []
  }

  inject(rule: Rule): Injection {
    return this.#rules.add(rule)
  }

  /** Lifts all faults; what was stalled goes on. */
  heal(): void {
    this.#rules.liftAll()
  }

  /** Cuts the connections of such requests as are under way, and says how many. */
  resetAll(when: RequestPredicate = everything): number {
    const exchanges = this.#underWay(when)
    for (const exchange of exchanges) exchange.reset()
    return exchanges.length
  }

  /** Passes nothing more to such requests as are under way. The function returned lets them go on. */
  stallAll(when: RequestPredicate = everything): () => void {
    const lifted = new Deferred()
    for (const exchange of this.#underWay(when)) exchange.holdUntil(lifted.promise)
    return () => lifted.resolve()
  }

  /** As if the machine were off: cuts all connections and refuses new ones, until `restore`. */
  async outage(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const connection of this.#connections.values()) connection.resetAndDestroy()
    await closed
  }

  /** Accepts connections again, at the same address. */
  async restore(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    await this.outage()
    await this.#upstream.destroy()
  }

  #underWay(when: RequestPredicate): Exchange[] {
    return [...this.#open].filter(({ request }) => when(request))
  }

  /** By the client's port, which is all that a TLS socket and the bare connection below it have in common. */
  #remember(connection: Socket): void {
    const { remotePort } = connection
    if (remotePort === undefined) return
    this.#connections.set(remotePort, connection)
    connection.once('close', () => this.#connections.delete(remotePort))
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#connections.get(message.socket.remotePort ?? 0)
    if (connection === undefined) return // It has closed meanwhile.
    const exchange = new Exchange(asSeen(message), response, connection)
    this.#requests.push(exchange.request)
    this.#open.add(exchange)
    try {
      await this.#execute(exchange, message)
    } catch (error) {
      if (exchange.closed.aborted) return // The client is gone.
      // The server cannot be reached, or broke off: that is what the client shall see too.
      exchange.request.failure = String(error)
      await exchange.resetAfterReading()
    } finally {
      this.#open.delete(exchange)
    }
  }

  async #execute(exchange: Exchange, message: IncomingMessage): Promise<void> {
    const { delayMs, fault, lifted } = this.#rules.fateOf(exchange.request)
    exchange.request.fault = fault?.type
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: exchange.closed })
    if (fault?.type === 'respond') {
      message.resume()
      await respondInstead(exchange, fault)
    } else if (fault?.type === 'reset' && fault.at === 'request') {
      await exchange.resetAfterReading()
    } else {
      await forwardResponse(exchange, await this.#forward(message, exchange.closed, fault), fault, lifted)
    }
  }

  async #forward(
    message: IncomingMessage,
    signal: AbortSignal,
    fault: Fault | undefined,
  ): Promise<UpstreamResponse> {
    const { url = '/', method = 'GET' } = message
    const headers = requestHeaders(message)
    if (fault !== undefined) headers['accept-encoding'] = 'identity' // Faults count lines, and there are none in gzip.
    const answer = await this.#upstream.request({
      path: url,
      method,
      headers,
      body: hasBody(message) ? message : null,
      signal,
    })
    return { status: answer.statusCode, headers: endToEnd(answer.headers), body: new Body(answer.body) }
  }
}

async function respondInstead(
  exchange: Exchange,
  { status, headers, body }: Extract<Fault, { type: 'respond' }>,
): Promise<void> {
  await exchange.sendHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  await exchange.send(body)
  await exchange.end()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
