import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import type { WriteGuard } from '../client/api.ts'
import { Client } from '../client/client.ts'
import { WriteRefusedError } from '../client/errors.ts'
import { systemClock } from '../clock.ts'
import type { ClusterAccess, Credentials } from '../config/access.ts'
import { createMetrics } from '../metrics.ts'
import { type LocalServer, startHttpServer } from './http-server.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, body: string) => void

export const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const anonymous: Credentials = { current: async () => ({}), rejected: async () => false }

/** A client of a server that knows ConfigMaps and Namespaces and otherwise answers as the test says. */
export async function clientOf(
  answer: RequestHandler,
  { access, maxInFlight }: { access?: Partial<ClusterAccess>; maxInFlight?: number } = {},
) {
  const server: LocalServer = await startHttpServer((request, response, body) => {
    if (request.url?.endsWith('/api/v1')) {
      json(response, 200, {
        resources: [
          { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
          { name: 'namespaces', kind: 'Namespace', namespaced: false },
          { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
        ],
      })
    } else answer(request, response, body)
  })
  const metrics = createMetrics('test')
  const client = Client.connect({
    access: {
      source: 'the test',
      server: server.url,
      namespace: 'default',
      tls: { insecureSkipVerify: false },
      credentials: anonymous,
      ...access,
    },
    clock: systemClock,
    random: () => 0.5,
    metrics,
    userAgent: 'test/1.2.3',
    ...(maxInFlight !== undefined && { maxInFlight }),
  })
  closing.push(
    () => client.close(),
    () => server.close(),
  )
  return { client, metrics, server }
}

export function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const aConfigMap = { metadata: { name: 'web', namespace: 'default', uid: '1', resourceVersion: '5' } }
export const web = { namespace: 'default', name: 'web' }

export function aGuard(): WriteGuard & { withdraw: () => void } {
  const controller = new AbortController()
  let allowed = true
  return {
    signal: controller.signal,
    check: () => {
      if (!allowed) throw new WriteRefusedError('no longer allowed')
      return 4000
    },
    withdraw: () => {
      allowed = false
      controller.abort(new WriteRefusedError('no longer allowed'))
    },
  }
}
