import type { AttemptResult } from '../../probe/attempt.ts'
import { described, open } from '../../probe/connection.ts'
import type { ObservedIdle, Target } from '../observations.ts'
import { destinationOf, vipsOf } from './front-ends.ts'
import { type ProbeContext, wait } from './probe-context.ts'

/**
 * Asks twice on one connection, with silence in between; on the services whose connections last. Where the first answer
 * ends the connection nothing is learned: a connection that is silent from the beginning is cut off by routers themselves.
 */
export async function observeIdle(
  target: Target,
  idleMs: number,
  probeContext: ProbeContext,
): Promise<readonly ObservedIdle[]> {
  const observed = (['api', 'https'] as const).flatMap((service) => {
    const [address] = vipsOf(service, target)
    if (address === undefined) return []
    const to = destinationOf(service, address, target)
    return [
      observeOne().then(
        ({ before, after }): ObservedIdle => ({ service, tried: described(to), idleMs, before, after }),
      ),
    ]

    async function observeOne(): Promise<{ before: AttemptResult; after: AttemptResult }> {
      const opened = await open(to, probeContext)
      if (!('connection' in opened)) return { before: opened.outcome, after: opened.outcome }
      try {
        const before = await opened.connection.ask()
        if (before.kind !== 'answered' || before.endsConnection) return { before, after: before }
        await wait(idleMs, probeContext)
        return { before, after: await opened.connection.ask() }
      } finally {
        opened.connection.close()
      }
    }
  })
  return Promise.all(observed)
}
