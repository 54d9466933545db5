import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { pino } from 'pino'
import { version } from '../../package.json'
import { loadClusterAccess } from '../kube/access/load-access.ts'
import { Client } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import { createMetrics } from '../kube/metrics.ts'

/** Which cluster a command asks; found as kubectl finds it, or in the pod, when nothing is given. */
export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Asks a cluster something, and hangs up. */
export async function withClient<T>(
  { kubeconfig, context }: ClusterChoice,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const access = await loadClusterAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    environment: {
      env: process.env,
      homeDirectory: homedir(),
      isTerminal: isatty(process.stdin.fd),
      stderr: process.stderr,
    },
    clock: systemClock,
    log: pino({ level: 'warn' }, pino.destination(2)),
  })
  const client = Client.connect({
    access,
    clock: systemClock,
    random: Math.random,
    metrics: createMetrics('portcullis'),
    userAgent: `portcullis/${version}`,
  })
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}
