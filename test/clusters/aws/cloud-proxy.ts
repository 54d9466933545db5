import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { applies, type CloudCall, type CloudRule, errorAnswer } from './cloud-faults.ts'

/** Enough to look back on; whoever waits for a call does not wait that long. */
const callsKept = 10_000

/**
 * Stands between the cloud controller manager and AWS, notes every call, and lets those go wrong that it is told to.
 * It is told by HTTP, since those who tell it may be another process, or a person with curl:
 *
 *     curl -X PUT $CONTROL/faults/mine -d '{"action": "CreateLoadBalancer", "fault": {"type": "denied"}}'
 *     curl -X DELETE $CONTROL/faults/mine
 *     curl $CONTROL/calls
 */
export class CloudProxy {
  readonly #upstream: Pool
  readonly #wire: Server
  readonly #control: Server
  readonly #rules = new Map<string, CloudRule>()
  readonly #calls: CloudCall[] = []

  /** @param target URL of AWS, or of what plays it */
  static async start(target: string): Promise<CloudProxy> {
    const proxy = new CloudProxy(target)
    await Promise.all([proxy.#wire, proxy.#control].map(listening))
    return proxy
  }

  private constructor(target: string) {
    this.#upstream = new Pool(target)
    this.#wire = createServer((message, response) => void this.#pass(message, response))
    this.#control = createServer((message, response) => void this.#obey(message, response))
  }

  /** Where the cloud controller manager takes AWS to be. */
  get url(): string {
    return urlOf(this.#wire)
  }

  /** Where the proxy is told what to do. */
  get control(): string {
    return urlOf(this.#control)
  }

  async close(): Promise<void> {
    for (const server of [this.#wire, this.#control]) {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
    await this.#upstream.destroy()
  }

  async #pass(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(message, response)
    } catch {
      response.destroy() // One of both sides has gone.
    }
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(message)
    const parameters = Object.fromEntries(new URLSearchParams(body.toString('utf8')))
    const asked = { action: parameters['Action'] ?? '', parameters }
    const { fault } = [...this.#rules.values()].find((rule) => applies(rule, asked)) ?? {}
    const note = (status?: number) =>
      this.#note({
        ...asked,
        ...(status !== undefined && { status }),
        ...(fault !== undefined && { fault: fault.type }),
      })
    const error = fault && errorAnswer(fault, asked)
    if (error !== undefined) {
      note(error.status)
      response.writeHead(error.status, { 'content-type': 'text/xml' }).end(error.xml)
    } else if (fault?.type === 'dropped') {
      note()
      response.destroy()
    } else {
      if (fault?.type === 'slow') await sleep(fault.delayMs)
      const {
        statusCode,
        headers,
        body: answer,
      } = await this.#upstream.request({
        path: message.url ?? '/',
        method: message.method ?? 'POST',
        headers: forwarded(message),
        body,
      })
      note(statusCode)
      const { 'content-type': type = 'text/xml' } = headers
      response.writeHead(statusCode, { 'content-type': type }).end(await answer.bytes())
    }
  }

  #note(call: CloudCall): void {
    this.#calls.push(call)
    if (this.#calls.length > callsKept) this.#calls.shift()
  }

  async #obey(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = message
    const [, what, name = ''] = url.split('/').map(decodeURIComponent)
    const reply = (status: number, content: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    const request = `${method} /${what}`
    try {
      if (request === 'PUT /faults') this.#rules.set(name, (await json(message)) as CloudRule)
      else if (request === 'DELETE /faults') this.#rules.delete(name)
      else if (request !== 'GET /faults' && request !== 'GET /calls') {
        return void reply(404, `${request} is none of PUT and DELETE /faults/NAME, GET /faults, GET /calls`)
      }
      reply(200, what === 'calls' ? this.#calls : Object.fromEntries(this.#rules))
    } catch (error) {
      reply(400, String(error))
    }
  }
}

/** The service is told by the signature, so that must be passed on; what concerns one connection must not. */
function forwarded({ headers }: IncomingMessage): Record<string, string> {
  const { authorization = '', 'content-type': type = '' } = headers
  return { authorization, 'content-type': type }
}

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
