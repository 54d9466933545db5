import {
  Client,
  createMetrics,
  environmentOf,
  loadClusterAccess,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import { version } from '../../package.json'

/** How a person says which cluster is meant; found as kubectl finds it, or in the pod, when nothing is said. */
export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

export async function connect({ kubeconfig, context }: ClusterChoice): Promise<Client> {
  const access = await loadClusterAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    environment: environmentOf(process),
    clock: systemClock,
    log: silentLogger,
  })
  return Client.connect({
    access,
    clock: systemClock,
    random: Math.random,
    metrics: createMetrics('portcullis'),
    userAgent: `portcullis/${version}`,
  })
}

/** Asks a cluster something, and hangs up. */
export async function withClient<T>(choice: ClusterChoice, ask: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(choice)
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}
