import type { HealthCheckName, ServiceName } from '../load-balancer/services.ts'

/** What a machine listens for: the four services, and the port at which its router says whether it is ready. */
export type ListenerName = ServiceName | 'router'

export interface FakeResponse {
  readonly status: number
  readonly body: string
}

export type Readiness = Readonly<Record<HealthCheckName, boolean>>

const ok: FakeResponse = { status: 200, body: 'ok' }
const notReady: FakeResponse = { status: 500, body: 'not ready' }
const notFound: FakeResponse = { status: 404, body: 'not found' }

/** What the real program behind a port would answer to a request without a host name of the cluster. */
export function answerTo(listener: ListenerName, path: string, ready: Readiness): FakeResponse {
  switch (listener) {
    case 'api':
      if (path === '/readyz' || path === '/healthz') return ready.api ? ok : notReady
      if (path === '/livez') return ok
      if (path === '/version')
        return { status: 200, body: '{"major":"1","minor":"0","gitVersion":"v1.0.0-fake backend"}' }
      return { status: 403, body: '{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}' }
    case 'machine-config':
      if (path === '/healthz') return ready['machine-config'] ? { status: 200, body: '' } : notReady
      return notFound
    case 'router':
      if (path === '/healthz/ready') return ready.router ? ok : notReady
      return path === '/healthz' ? ok : notFound
    // A router that is no longer ready serves on for a while.
    case 'https':
    case 'http':
      return { status: 200, body: 'A fake backend for a router answers here.\n' }
  }
}
