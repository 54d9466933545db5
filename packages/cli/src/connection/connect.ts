import {
  Client,
  type Clock,
  type ClusterAccess,
  createMetrics,
  type Environment,
  type KubeApi,
  loadClusterAccess,
  type Metrics,
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
  return connectWith(access, { clock: systemClock, random: Math.random })
}

/** To a cluster whose access is known already, as that of a sandbox is. */
export function connectWith(
  access: ClusterAccess,
  {
    clock,
    random,
    metrics = createMetrics('portcullis'),
    userAgent = `portcullis/${version}`,
  }: {
    readonly clock: Clock
    readonly random: () => number
    readonly metrics?: Metrics
    readonly userAgent?: string
  },
): Client {
  return Client.connect({ access, clock, random, metrics, userAgent })
}
