import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls'
import { endpoint } from '../endpoint.ts'
import {
  type Attempt,
  type AttemptResult,
  type Destination,
  headers,
  type SeenCertificate,
} from './attempt.ts'
import { readResponse } from './read-response.ts'

export interface ConnectionOptions {
  /** The address of this machine to come from; whichever the system chooses when not given. */
  readonly from: string | undefined
  /** How long each of connecting, TLS and answering may take. */
  readonly timeoutMs: number
  readonly now: () => number
}

/** One for all: to make it takes longer than to connect. */
const secureContext = createSecureContext()

/** Connects, asks, and goes. */
export async function attempt(to: Destination, options: ConnectionOptions): Promise<Attempt> {
  const atMs = options.now()
  const opened = await open(to, options)
  if (!('connection' in opened)) return { tried: described(to), atMs, outcome: opened.outcome }
  try {
    return { tried: described(to), atMs, outcome: await opened.connection.ask() }
  } finally {
    opened.connection.close()
  }
}

/** A connection that stays open until it is closed. */
export interface Connection {
  ask(): Promise<AttemptResult>
  close(): void
}

type Opened = { readonly connection: Connection } | { readonly outcome: AttemptResult }

/** Connects, by TLS if that is what is spoken there: any certificate is accepted: the checks compare it. */
export async function open(to: Destination, options: ConnectionOptions): Promise<Opened> {
  const { from, timeoutMs } = options
  const socket = connect({
    host: to.address,
    port: to.port,
    ...(from !== undefined && isSameFamily(from, to.address) && { localAddress: from }),
  })
  const connected = await within(timeoutMs, once(socket, 'connect'))
  if (connected !== undefined) {
    socket.destroy()
    return { outcome: { kind: 'no-connection', code: connected } }
  }
  socket.on('error', () => {})
  if (!to.isTls) return { connection: connectionOn(socket, to, timeoutMs, undefined) }
  const secure = connectTls({ socket, servername: to.name ?? '', rejectUnauthorized: false, secureContext })
  const shaken = await within(timeoutMs, Promise.race([once(secure, 'secureConnect'), endOf(secure)]))
  if (shaken === undefined && !secure.destroyed) {
    secure.on('error', () => {})
    return { connection: connectionOn(secure, to, timeoutMs, certificateOf(secure)) }
  }
  secure.destroy()
  socket.destroy()
  return { outcome: withoutTls(shaken) }
}

/** @returns the code of the error that ended the wait; undefined if it went well */
async function within(timeoutMs: number, event: Promise<unknown>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'ETIMEDOUT')
  })
  try {
    return await Promise.race([event.then(() => undefined), late])
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  } finally {
    clearTimeout(timer)
    event.catch(() => {})
  }
}

async function endOf(socket: Socket): Promise<never> {
  await once(socket, 'close')
  throw Object.assign(new Error('closed'), { code: 'ECONNRESET' })
}

function withoutTls(code = 'ECONNRESET'): AttemptResult {
  if (code === 'ETIMEDOUT') return { kind: 'silent', during: 'TLS' }
  if (code === 'ECONNRESET' || code === 'EPIPE') return { kind: 'closed', during: 'TLS' }
  return { kind: 'no-tls', code }
}

function connectionOn(
  socket: Socket,
  to: Destination,
  timeoutMs: number,
  certificate: SeenCertificate | undefined,
): Connection {
  const seen = certificate && { certificate }
  const request = [
    `GET ${to.path} HTTP/1.1`,
    `Host: ${to.name ?? endpoint(to.address, to.port)}`,
    'User-Agent: portcullis-preflight',
    `${headers.probe}: 1`,
    '\r\n',
  ].join('\r\n')
  return {
    async ask() {
      if (socket.destroyed || socket.readableEnded) return { kind: 'closed', during: 'the request', ...seen }
      const answer = readResponse(socket)
      socket.write(request)
      const failed = await within(timeoutMs, answer)
      if (failed === 'ETIMEDOUT') return { kind: 'silent', during: 'the request', ...seen }
      if (failed !== undefined) return { kind: 'closed', during: 'the request', ...seen }
      const { status, fields, endsConnection } = await answer
      return {
        kind: 'answered',
        status,
        ...seen,
        ...(endsConnection && { endsConnection }),
        ...present('location', fields.get('location')),
        ...present('backend', fields.get(headers.backend)),
        ...present('service', fields.get(headers.service)),
      }
    },
    close: () => socket.destroy(),
  }
}

function present<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string })
}

function certificateOf(socket: TLSSocket): SeenCertificate | undefined {
  const { fingerprint256, subject } = socket.getPeerCertificate()
  if (fingerprint256 === undefined) return undefined
  return { fingerprint: fingerprint256, subject: [subject?.CN ?? ''].flat().join(', ') }
}

export function described({ address, port, isTls, name, path }: Destination): string {
  const scheme = isTls ? 'https' : 'http'
  return name === undefined
    ? `${scheme}://${endpoint(address, port)}${path}`
    : `${scheme}://${name}:${port}${path} at ${address}`
}

function isSameFamily(one: string, other: string): boolean {
  return one.includes(':') === other.includes(':')
}
