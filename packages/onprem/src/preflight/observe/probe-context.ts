import { setTimeout as delay } from 'node:timers/promises'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import type { Control } from '../../fake-backends/control.ts'
import { command } from '../../fake-backends/control-client.ts'
import type { Attempt, Destination } from '../../probe/attempt.ts'
import { attempt, type ConnectionOptions } from '../../probe/connection.ts'

/** How long things may take. */
export interface ProbeTiming {
  /** For the load balancer to find its members, after fake backends were started. */
  readonly settleMs: number
  /** Between two connections while a change is waited for. */
  readonly pollMs: number
}

/** What observing needs: DNS, connections, timing, randomness. */
export interface ProbeContext extends ConnectionOptions {
  readonly timing: ProbeTiming
  readonly signal: AbortSignal
  readonly random: () => number
  readonly ask: (names: readonly string[]) => Promise<readonly DnsAnswer[]>
  /** Where fake backends are commanded, and by which word; undefined where there are none. */
  readonly fakeBackends: { readonly token: string; readonly controlPort: number } | undefined
  /** Called with what is being done now. */
  readonly reportProgress: (what: string) => void
}

export async function connectTo(to: Destination, probeContext: ProbeContext): Promise<Attempt> {
  probeContext.signal.throwIfAborted()
  const attempted = await attempt(to, probeContext)
  if (probeContext.fakeBackends !== undefined || attempted.outcome.kind !== 'answered') return attempted
  // Where no fake backends are expected, their headers are not trusted.
  const { backend: _who, service: _what, ...outcome } = attempted.outcome
  return { ...attempted, outcome }
}

export async function wait(ms: number, { signal }: ProbeContext): Promise<void> {
  await delay(ms, undefined, { signal })
}

export function commandBackend<P extends keyof Control>(
  address: string,
  path: P,
  asked: Control[P]['ask'],
  { fakeBackends, timeoutMs }: ProbeContext,
): Promise<Control[P]['answer']> {
  if (fakeBackends === undefined) throw new Error('There are no fake backends to command.')
  const { token, controlPort: port } = fakeBackends
  // A fake backend may be busy connecting somewhere for as long as that takes.
  return command({ address, port, token, timeoutMs: 4 * timeoutMs }, path, asked)
}
