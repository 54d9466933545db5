import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { buildConnector, type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici'
import type { Clock } from '../clock.ts'
import type { ClusterAccess, Credential } from '../config/access.ts'
import { BufferedRequest } from './buffered-request.ts'
import type { HttpRequest, HttpResponse, HttpStream, HttpTransport } from './messages.ts'

/** How long an idle connection is kept; less than the 90 s after which kube-apiserver closes it. */
const idleMs = 60_000

/** A request has a deadline of its own: undici's timers would only get in the way. */
const requestTimers = { headersTimeout: 0, bodyTimeout: 0 }

/** A watch must begin in time. Then it may be silent for long; `Watch` notices when it is dead. */
const streamTimers = { headersTimeout: 30_000, bodyTimeout: 0 }

/** Has the kernel notice when the other side is gone for good. */
const probes = { keepAlive: true, keepAliveInitialDelay: 15_000 }

/**
 * Connections to one API server: a bounded pool for requests, and one for watches, which hold a connection each
 * for as long as they last. A client certificate belongs to a connection, so a new one means new pools.
 */
export class Transport implements HttpTransport {
  readonly #access: ClusterAccess
  readonly #clock: Clock
  readonly #connections: number
  /** The one in use comes last; those before it go when their last watch has ended. */
  #pools: Pools[] = []

  constructor({ access, clock, connections }: { access: ClusterAccess; clock: Clock; connections: number }) {
    this.#access = access
    this.#clock = clock
    this.#connections = connections
  }

  send(request: HttpRequest, credential: Credential): Promise<HttpResponse> {
    const { method, path, body } = request
    const exchange = new BufferedRequest(request, this.#clock)
    this.#poolsFor(credential).requests.dispatch(
      {
        ...requestTimers,
        origin: this.#access.server.origin,
        method,
        path,
        headers: this.#headers(request, credential),
        body: body ?? null,
      },
      exchange,
    )
    return exchange.response
  }

  async stream(request: Omit<HttpRequest, 'timeoutMs'>, credential: Credential): Promise<HttpStream> {
    const { statusCode, headers, body } = await this.#poolsFor(credential).streams.request({
      ...streamTimers,
      origin: this.#access.server.origin,
      method: request.method,
      path: request.path,
      headers: this.#headers(request, credential),
      signal: request.signals.length === 1 ? request.signals[0] : AbortSignal.any([...request.signals]),
    })
    return { status: statusCode, headers, body }
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pools) => pools.destroy()))
  }

  #headers({ headers }: Pick<HttpRequest, 'headers'>, { authorization }: Credential) {
    return authorization === undefined ? headers : { ...headers, authorization }
  }

  #poolsFor({ clientCertificate }: Credential): Pools {
    const current = this.#pools.at(-1)
    if (current !== undefined && current.certificate === clientCertificate?.certificate) return current
    const pools = new Pools(this.#access, clientCertificate, this.#connections)
    this.#pools.push(pools)
    if (current !== undefined) void this.#retire(current)
    return pools
  }

  /** What is in flight ends by itself; nothing new is sent. */
  async #retire(retired: Pools): Promise<void> {
    await retired.close()
    this.#pools = this.#pools.filter((pools) => pools !== retired)
  }
}

/** The two pools that go with one client certificate, or with none. */
class Pools {
  readonly certificate: string | undefined
  readonly requests: Dispatcher
  readonly streams: Dispatcher

  constructor(
    access: ClusterAccess,
    clientCertificate: Credential['clientCertificate'],
    connections: number,
  ) {
    this.certificate = clientCertificate?.certificate
    const { ca, serverName, insecureSkipVerify } = access.tls
    const tls = {
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(clientCertificate !== undefined && {
        cert: clientCertificate.certificate,
        key: clientCertificate.key,
      }),
      rejectUnauthorized: !insecureSkipVerify,
    }
    this.requests = dispatcherFor(access, tls, connections)
    this.streams = dispatcherFor(access, tls, null)
  }

  async close(): Promise<void> {
    await Promise.all([this.requests.close(), this.streams.close()])
  }

  async destroy(): Promise<void> {
    await Promise.all([this.requests.destroy(), this.streams.destroy()])
  }
}

function dispatcherFor(access: ClusterAccess, tls: object, connections: number | null): Dispatcher {
  const { server, proxy } = access
  const limits = { connections, keepAliveTimeout: idleMs }
  if (proxy === undefined) return new Pool(server.origin, { ...limits, connect: { ...tls, ...probes } })
  if (proxy.protocol === 'socks5:') {
    // Not through ProxyAgent, which forgets to decode the password in the URL.
    const options = { connect: buildConnector(probes), requestTls: tls }
    return new Socks5ProxyAgent(proxy, options)
  }
  const toProxy = proxy.protocol === 'https:' ? { ...probes, ...proxyTls(access) } : probes
  return new ProxyAgent({ ...limits, uri: proxy.href, requestTls: tls, proxyTls: toProxy })
}

/** The cluster's authority may have signed for the proxy too, as kubectl takes for granted; or a public one. */
function proxyTls({ tls: { ca, insecureSkipVerify } }: ClusterAccess): {
  secureContext?: SecureContext
  rejectUnauthorized: boolean
} {
  return {
    // Made once: to read all the public authorities for each connection would take long.
    ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }),
    rejectUnauthorized: !insecureSkipVerify,
  }
}
