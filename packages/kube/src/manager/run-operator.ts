import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Client } from '../client/client.ts'
import { type Clock, systemClock } from '../clock.ts'
import { environmentOf } from '../config/environment.ts'
import { loadClusterAccess } from '../config/load-access.ts'
import { uniqueIdentity } from '../election/lease.ts'
import type { LeaseTiming } from '../election/lease-timing.ts'
import type { HealthAddress } from '../health/health.ts'
import type { Logger } from '../log.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { Manager } from './manager.ts'
import { stopOnSignals } from './signals.ts'

export interface OperatorOptions {
  /** In the user agent, in events and as the prefix of metrics: `portcullis`. */
  readonly name: string
  readonly version: string
  /** Which Lease to stand for; without one there is no election. */
  readonly lease?: {
    readonly namespace: string
    readonly name: string
    readonly timing?: Partial<LeaseTiming>
  }
  readonly health?: HealthAddress & {
    /** Only those read the metrics whom the API server lets get `/metrics`. */
    readonly authenticateScrapes?: boolean
  }
  /** Which kubeconfig and context; found as kubectl finds them, or in the pod, when not given. */
  readonly kubeconfig?: string
  readonly context?: string
  /** Says what to watch and what to reconcile; may have a look at the cluster before. */
  readonly assemble: (
    manager: Manager,
    parts: { readonly client: Client; readonly metrics: Metrics; readonly clock: Clock },
  ) => void | Promise<void>
  /** The process to be: its environment, terminal and signals. */
  readonly process: NodeJS.Process
  readonly log: Logger
}

/** A whole operator as a process: finds the cluster, runs until SIGTERM, leaves in good order. The only place that reads the process. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { name, version, lease, health, kubeconfig, context, assemble, process, log } = options
  const access = await loadClusterAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    environment: environmentOf(process),
    clock: systemClock,
    log,
  })
  const metrics = createMetrics(name.replaceAll('-', '_'))
  const connect = (clientName: string) =>
    Client.connect({
      name: clientName,
      access,
      clock: systemClock,
      random: Math.random,
      metrics,
      userAgent: `${name}/${version}`,
    })
  const [client, electionClient] = [connect('main'), connect('election')]
  // Of its own, so that scrapes neither wait for ten thousand writes nor delay a renewal.
  const reviewClient = health?.authenticateScrapes ? connect('scrapes') : undefined
  const manager = new Manager({
    client,
    name,
    instance: uniqueIdentity(hostname(), randomUUID()),
    ...(lease && { election: { lease, ...lease.timing, client: electionClient } }),
    ...(health && { health: { ...health, ...(reviewClient && { scrapesReviewedBy: reviewClient }) } }),
    clock: systemClock,
    random: Math.random,
    log,
    metrics,
  })
  const { stop, release } = stopOnSignals(process, log)
  try {
    await assemble(manager, { client, metrics, clock: systemClock })
    await manager.run(stop)
  } finally {
    release()
    await Promise.all([client.close(), electionClient.close(), reviewClient?.close() ?? Promise.resolve()])
  }
}
