import type { HealthCheckName, ServiceName } from '../load-balancer/services.ts'

/** What a machine listens for: the four services, and the port at which its router says whether it is ready. */
export type ListenerName = ServiceName | 'router'

export interface StandInAnswer {
  readonly status: number
  readonly body: string
}

export type Readiness = Readonly<Record<HealthCheckName, boolean>>

const ok: StandInAnswer = { status: 200, body: 'ok' }
const notReady: StandInAnswer = { status: 500, body: 'not ready' }
const notFound: StandInAnswer = { status: 404, body: 'not found' }

/** What the real program behind a port would answer to who comes without a name of his own. */
export function answerTo(listener: ListenerName, path: string, ready: Readiness): StandInAnswer {
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
