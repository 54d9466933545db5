import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HealthCheckName } from '../load-balancer/services.ts'
import type { Attempt, Destination } from '../probe/attempt.ts'
import type { ReceivedProbe } from './received-probe.ts'
import type { ListenerName, Readiness } from './responses.ts'

/** The commands of a fake backend, for clients that know its token. */
export interface Control {
  /** It can also forget the received probes: they may come from a load balancer that was reconfigured since. */
  '/state': { readonly ask: { readonly forget?: boolean }; readonly answer: FakeBackendState }
  '/ready': {
    readonly ask: { readonly check: HealthCheckName; readonly isReady: boolean }
    readonly answer: FakeBackendState
  }
  '/listening': {
    readonly ask: { readonly listener: ListenerName; readonly isListening: boolean }
    readonly answer: FakeBackendState
  }
  /** Connects from the fake backend's own address, as a node would. */
  '/dial': {
    readonly ask: { readonly to: Destination; readonly times: number; readonly timeoutMs: number }
    readonly answer: { readonly attempts: readonly Attempt[] }
  }
}

export interface FakeBackendState {
  readonly address: string
  readonly fingerprint: string
  readonly ready: Readiness
  readonly receivedProbes: readonly ReceivedProbe[]
}

/** Added to by an offset, as all ports are. */
export const defaultControlPort = 9936

/**
 * Proves that one knows the token, without giving it away: it holds for this request to the bearer of this certificate,
 * so that nobody in between can use it.
 */
export function proof(token: string, fingerprint: string, path: string, body: string): string {
  return createHmac('sha256', token).update(`${fingerprint}\n${path}\n${body}`).digest('hex')
}

export function isProof(given: string | undefined, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export const proofHeader = 'x-portcullis-proof'
