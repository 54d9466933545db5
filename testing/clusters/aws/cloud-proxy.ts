import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalServer, startHttpServer } from '@portcullis/kube/testing'
import { Pool } from 'undici'
import { applies, type CloudCall, type CloudRule, errorAnswer } from './cloud-faults.ts'

/** How many calls are kept for later questions. */
const callsKept = 10_000

/**
 * Stands between the cloud controller manager and AWS, records every call, and injects faults.
 * It is controlled by HTTP, from another process or with curl:
 *
 *     curl -X PUT $CONTROL/faults/mine -d '{"action": "CreateLoadBalancer", "fault": {"type": "denied"}}'
 *     curl -X DELETE $CONTROL/faults/mine
 *     curl $CONTROL/calls
 */
export interface CloudProxy {
  /** Where the cloud controller manager takes AWS to be. */
  readonly url: string
  /** The URL that controls the proxy. */
  readonly control: string
  close(): Promise<void>
}

/** @param target URL of AWS, or of what plays it */
export async function startCloudProxy(target: string): Promise<CloudProxy> {
  const upstream = new Pool(target)
  const rules = new Map<string, CloudRule>()
  const calls: CloudCall[] = []
  const note = (call: CloudCall) => {
    calls.push(call)
    if (calls.length > callsKept) calls.shift()
  }
  const wire = await startHttpServer((request, response, body) => {
    // When one of both sides has gone, so is the other.
    pass(request, response, body, { upstream, rules, note }).catch(() => response.destroy())
  })
  const control = await startHttpServer((request, response, body) =>
    obey(request, response, body, { rules, calls }),
  )
  return {
    url: wire.url.origin,
    control: control.url.origin,
    async close() {
      for (const server of [wire, control] satisfies LocalServer[]) await server.close()
      await upstream.destroy()
    },
  }
}

interface Wire {
  readonly upstream: Pool
  readonly rules: ReadonlyMap<string, CloudRule>
  readonly note: (call: CloudCall) => void
}

/** Answers a call: by AWS' word, or as the first rule says that is about it. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  { upstream, rules, note }: Wire,
): Promise<void> {
  const parameters = Object.fromEntries(new URLSearchParams(body))
  const asked = { action: parameters['Action'] ?? '', parameters }
  const { fault } = [...rules.values()].find((rule) => applies(rule, asked)) ?? {}
  const seen = { ...asked, ...(fault !== undefined && { fault: fault.type }) }
  const error = fault && errorAnswer(fault, asked)
  if (error !== undefined) {
    note({ ...seen, status: error.status })
    response.writeHead(error.status, { 'content-type': 'text/xml' }).end(error.xml)
  } else if (fault?.type === 'dropped') {
    note(seen)
    response.destroy()
  } else {
    if (fault?.type === 'slow') await sleep(fault.delayMs)
    const { url = '/', method = 'POST' } = request
    const answer = await upstream.request({ path: url, method, headers: forwarded(request), body })
    note({ ...seen, status: answer.statusCode })
    const { 'content-type': type = 'text/xml' } = answer.headers
    response.writeHead(answer.statusCode, { 'content-type': type }).end(await answer.body.bytes())
  }
}

/** The signature names the service, and must be passed on; headers of one connection must not. */
function forwarded({ headers }: IncomingMessage): Record<string, string> {
  const { authorization = '', 'content-type': type = '' } = headers
  return { authorization, 'content-type': type }
}

interface Control {
  readonly rules: Map<string, CloudRule>
  readonly calls: readonly CloudCall[]
}

function obey(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  body: string,
  { rules, calls }: Control,
): void {
  const reply = (status: number, content: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  const [, what, name = ''] = url.split('/').map(decodeURIComponent)
  try {
    switch (`${method} /${what}`) {
      case 'PUT /faults':
        rules.set(name, JSON.parse(body) as CloudRule)
        return reply(200, Object.fromEntries(rules))
      case 'DELETE /faults':
        rules.delete(name)
        return reply(200, Object.fromEntries(rules))
      case 'GET /faults':
        return reply(200, Object.fromEntries(rules))
      case 'GET /calls':
        return reply(200, calls)
      default:
        return reply(404, `${method} ${url} is none of PUT and DELETE /faults/NAME, GET /faults, GET /calls`)
    }
  } catch (error) {
    return reply(400, String(error))
  }
}
