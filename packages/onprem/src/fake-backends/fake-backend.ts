import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { text } from 'node:stream/consumers'
import { endpoint } from '../endpoint.ts'
import type { HealthCheckName, MemberPorts } from '../load-balancer/services.ts'
import { attempt } from '../probe/connection.ts'
import { type Control, type FakeBackendState, isProof, proof, proofHeader } from './control.ts'
import { type IdentityCertificate, identityCertificate } from './identity-certificate.ts'
import { Listener } from './listener.ts'
import { ReceivedProbes } from './received-probe.ts'
import type { ListenerName } from './responses.ts'

export interface FakeBackendOptions {
  readonly address: string
  readonly ports: MemberPorts
  readonly controlPort: number
  readonly token: string
  readonly now: () => number
}

/** Answers in place of a node that does not exist yet, on all ports that it will serve. */
export class FakeBackend {
  readonly #options: FakeBackendOptions
  readonly #identity: IdentityCertificate
  readonly #listeners: ReadonlyMap<ListenerName, Listener>
  readonly #receivedProbes = new ReceivedProbes()
  readonly #ready: Record<HealthCheckName, boolean> = { api: true, 'machine-config': true, router: true }
  #control: Server | undefined

  private constructor(options: FakeBackendOptions, identity: IdentityCertificate) {
    const { address, ports, now } = options
    this.#options = options
    this.#identity = identity
    const listeners = (Object.keys(ports) as ListenerName[]).map((name) => {
      const listener = new Listener({
        name,
        address,
        port: ports[name],
        identity,
        readiness: () => this.#ready,
        saw: (probe) => this.#receivedProbes.add(probe),
        now,
      })
      return [name, listener] as const
    })
    this.#listeners = new Map(listeners)
  }

  /** @throws a sentence if one of its ports cannot be had */
  static async start(options: FakeBackendOptions): Promise<FakeBackend> {
    const backend = new FakeBackend(options, await identityCertificate(options.address, options.now()))
    try {
      await backend.#open()
      return backend
    } catch (error) {
      backend.close()
      throw error
    }
  }

  get fingerprint(): string {
    return this.#identity.fingerprint
  }

  close(): void {
    for (const listener of this.#listeners.values()) listener.close()
    this.#control?.close()
    this.#control?.closeAllConnections()
  }

  async #open(): Promise<void> {
    const { address, ports, controlPort } = this.#options
    for (const [name, listener] of this.#listeners) {
      await listener.open().catch(explain(address, ports[name]))
    }
    const { certificate: cert, key } = this.#identity
    const control = createServer({ cert, key }, (request, response) => void this.#serve(request, response))
    control.listen({ host: address, port: controlPort })
    await once(control, 'listening').catch(explain(address, controlPort))
    this.#control = control
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    try {
      const body = await text(request)
      const path = request.url ?? ''
      const expected = proof(this.#options.token, this.#identity.fingerprint, path, body)
      if (!isProof(request.headers[proofHeader]?.toString(), expected)) {
        answer(401, {
          message: 'The token does not match; give the preflight the token of the fake backends.',
        })
        return
      }
      const result = await this.#obey(path, body)
      answer(result === undefined ? 404 : 200, result ?? { message: `There is no ${path} here.` })
    } catch (error) {
      answer(400, { message: (error as Error).message })
    }
  }

  async #obey(path: string, body: string): Promise<object | undefined> {
    const asked: unknown = JSON.parse(body)
    switch (path as keyof Control) {
      case '/state':
        if ((asked as Control['/state']['ask']).forget === true) this.#receivedProbes.forget()
        return this.#state()
      case '/ready': {
        const { check, isReady } = asked as Control['/ready']['ask']
        this.#ready[check] = isReady
        return this.#state()
      }
      case '/listening': {
        const { listener, isListening } = asked as Control['/listening']['ask']
        if (isListening) await this.#listeners.get(listener)?.open()
        else this.#listeners.get(listener)?.refuse()
        return this.#state()
      }
      case '/dial': {
        const { to, times, timeoutMs } = asked as Control['/dial']['ask']
        const { address: from, now } = this.#options
        const attempts = Array.from({ length: times }, () => attempt(to, { from, timeoutMs, now }))
        return { attempts: await Promise.all(attempts) }
      }
      default:
        return undefined
    }
  }

  #state(): FakeBackendState {
    const { address } = this.#options
    const { fingerprint } = this.#identity
    return { address, fingerprint, ready: { ...this.#ready }, receivedProbes: this.#receivedProbes.all() }
  }
}

function explain(address: string, port: number): (error: unknown) => never {
  return (error) => {
    const { code, message } = error as NodeJS.ErrnoException
    const place = endpoint(address, port)
    const reason = {
      EADDRINUSE: `${place} is in use; stop what listens there, or choose other ports with --port-offset.`,
      EADDRNOTAVAIL: `${address} is not an address of this machine; run this on the machine that has it, or add it.`,
      EACCES: `You may not listen on ${place}; run this as root, or choose ports above 1024 with --port-offset 10000.`,
    }[code ?? '']
    throw new Error(reason ?? `Cannot listen on ${place}: ${message}`, { cause: error })
  }
}
