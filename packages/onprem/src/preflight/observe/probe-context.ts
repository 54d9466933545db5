import { setTimeout as delay } from 'node:timers/promises'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import type { Control } from '../../fake-backends/control.ts'
import { command } from '../../fake-backends/control-client.ts'
import type { Attempt, Destination } from '../../probe/attempt.ts'
import { attempt, type ConnectionOptions } from '../../probe/connection.ts'

/** How long things may take. */
export interface Patience {
  /** For the load balancer to find its members, after stand-ins were started. */
  readonly settleMs: number
  /** Between two connections while a change is waited for. */
  readonly pollMs: number
}

/** What observing needs of the world. */
export interface Surroundings extends ConnectionOptions {
  readonly patience: Patience
  readonly signal: AbortSignal
  readonly random: () => number
  readonly ask: (names: readonly string[]) => Promise<readonly DnsAnswer[]>
  /** Where stand-ins are commanded, and by which word; undefined where there are none. */
  readonly standIns: { readonly token: string; readonly controlPort: number } | undefined
  /** Told what is being done now. */
  readonly doing: (what: string) => void
}

export async function connectTo(to: Destination, surroundings: Surroundings): Promise<Attempt> {
  surroundings.signal.throwIfAborted()
  const attempted = await attempt(to, surroundings)
  if (surroundings.standIns !== undefined || attempted.outcome.kind !== 'answered') return attempted
  // Where no stand-ins are expected, nobody is known by what he says of himself.
  const { standIn: _who, service: _what, ...outcome } = attempted.outcome
  return { ...attempted, outcome }
}

export async function wait(ms: number, { signal }: Surroundings): Promise<void> {
  await delay(ms, undefined, { signal })
}

export function tell<P extends keyof Control>(
  address: string,
  path: P,
  asked: Control[P]['ask'],
  { standIns, timeoutMs }: Surroundings,
): Promise<Control[P]['answer']> {
  if (standIns === undefined) throw new Error('There are no stand-ins to be told anything.')
  const { token, controlPort: port } = standIns
  // A stand-in may be busy connecting somewhere for as long as that takes.
  return command({ address, port, token, timeoutMs: 4 * timeoutMs }, path, asked)
}
