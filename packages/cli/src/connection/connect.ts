import {
  Client,
  createMetrics,
  type Environment,
  type KubeApi,
  loadClusterAccess,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import { version } from '../../package.json'

/** Selects the cluster; by default the one that kubectl would use, or that of the pod. */
export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

/** The API of a cluster, until it is closed. */
export type Connection = KubeApi & { close(): Promise<void> }

export async function connect(
  { kubeconfig, context }: ClusterChoice,
  environment: Environment,
): Promise<Connection> {
  const access = await loadClusterAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    environment,
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
