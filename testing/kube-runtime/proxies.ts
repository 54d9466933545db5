import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import type { Certificate } from '@portcullis/kube/internal/certificates.ts'

/** A proxy such as companies have between their people and their clusters. */
export interface Proxy {
  /** `127.0.0.1:1234` */
  readonly host: string
  /** Where it was asked to lead to, once for each connection: `10.0.0.1:6443`. */
  readonly asked: readonly string[]
  /** Ends all connections, and takes new ones. */
  cut(): void
  close(): Promise<void>
}

export interface ProxyOptions {
  /** Where every connection really goes, whatever was asked for. */
  readonly target: URL
  /** `name:password`; everybody is let through when there is none. */
  readonly login?: string
}

/** An HTTP CONNECT proxy; with a certificate, it speaks TLS itself. */
export async function startHttpProxy(options: ProxyOptions, tls?: Certificate): Promise<Proxy> {
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }) : createServer()
  const asked: string[] = []
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    if (!mayPass(request, options)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n')
      return
    }
    asked.push(request.url ?? '')
    lead(client, options.target, (upstream) => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
    })
  })
  return listening(server, asked)
}

function mayPass({ headers }: IncomingMessage, { login }: ProxyOptions): boolean {
  if (login === undefined) return true
  return headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`
}

/** RFC 1928 and 1929, as far as clients of TCP need it; a message is taken to come in one piece. */
export async function startSocksProxy({ target, login }: ProxyOptions): Promise<Proxy> {
  const asked: string[] = []
  const server = createTcpServer((client) => {
    const next = (handle: (message: Buffer) => void) => client.once('data', handle)
    const onRequest = () =>
      next((request) => {
        asked.push(socksAddress(request))
        lead(client, target, () => client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
      })
    const onLogin = () =>
      next((message) => {
        const nameLength = message[1] ?? 0
        const name = message.toString('utf8', 2, 2 + nameLength)
        const isRight = `${name}:${message.toString('utf8', 3 + nameLength)}` === login
        client.write(Buffer.from([1, isRight ? 0 : 1]))
        if (isRight) onRequest()
        else client.end()
      })
    next((greeting) => {
      const method = login === undefined ? 0 : 2
      if (!greeting.subarray(2).includes(method)) {
        client.end(Buffer.from([5, 0xff]))
        return
      }
      if (login === undefined) onRequest()
      else onLogin()
      client.write(Buffer.from([5, method]))
    })
    client.on('error', () => client.destroy())
  })
  return listening(server, asked)
}

/** Version, command, zero, then the kind of address: 1 for IPv4, 3 for a name. */
function socksAddress(request: Buffer): string {
  const isName = request[3] === 3
  const end = isName ? 5 + (request[4] ?? 0) : 8
  const host = isName ? request.toString('utf8', 5, end) : [...request.subarray(4, end)].join('.')
  return `${host}:${request.readUInt16BE(end)}`
}

/** Ties the two connections together; what ends on one side ends on the other. */
function lead(client: Duplex, target: URL, onConnected: (upstream: Socket) => void): void {
  const upstream = connect(Number(target.port), target.hostname, () => {
    onConnected(upstream)
    client.pipe(upstream).pipe(client)
  })
  upstream.on('error', () => client.destroy())
  upstream.on('close', () => client.destroy())
  client.on('error', () => upstream.destroy())
  client.on('close', () => upstream.destroy())
}

async function listening(server: Server, asked: readonly string[]): Promise<Proxy> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => sockets.forEach((socket) => socket.destroy())
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
