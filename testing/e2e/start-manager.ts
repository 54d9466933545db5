import { setMaxListeners } from 'node:events'
import {
  Client,
  type ClusterAccess,
  createMetrics,
  type Manager,
  silentLogger,
  systemClock,
} from '@portcullis/kube'

/** What everything here is made with. */
export const systemParts = { clock: systemClock, random: Math.random, log: silentLogger }

export interface Running {
  stop(): Promise<void>
}

/** Starts a manager, which runs until it is stopped. */
export function start(manager: Manager): Running {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const run = manager.run(stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

export function connect(access: ClusterAccess, name: string): Client {
  return Client.connect({
    ...systemParts,
    access,
    metrics: createMetrics('portcullis'),
    userAgent: `${name}/1`,
  })
}
