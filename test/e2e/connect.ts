import { setMaxListeners } from 'node:events'
import type { ClusterAccess } from '../../src/kube/access/access.ts'
import { Client } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { silentLogger } from '../../src/kube/log.ts'
import { createMetrics } from '../../src/kube/metrics.ts'
import type { Runtime } from '../../src/kube/runtime.ts'

/** What everything here is made with. */
export const surroundings = { clock: systemClock, random: Math.random, log: silentLogger }

export interface Running {
  stop(): Promise<void>
}

/** Lets a runtime run until it is told to stop. */
export function start(runtime: Runtime): Running {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const run = runtime.run(stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

export function connect(access: ClusterAccess, name: string): Client {
  return Client.connect({ ...surroundings, access, metrics: createMetrics(), userAgent: `${name}/1` })
}
