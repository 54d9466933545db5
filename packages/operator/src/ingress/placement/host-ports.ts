import type { DeepReadonly } from '@portcullis/kube'
import type { EndpointPublishingStrategy } from '../../api/endpoint-publishing-strategy.ts'

/** A port of the nodes that routers listen on. */
export interface HostPort {
  /** What it is for, and what the port of the container is called. */
  readonly name: 'http' | 'https' | 'metrics'
  readonly field: 'httpPort' | 'httpsPort' | 'statsPort'
  readonly number: number
}

export const defaultHostPorts = { httpPort: 80, httpsPort: 443, statsPort: 1936 } as const

/** None for strategies that leave the ports of the nodes alone. */
export function hostPortsOf(
  strategy: DeepReadonly<EndpointPublishingStrategy> | undefined,
): readonly HostPort[] {
  if (strategy?.type !== 'HostNetwork') return []
  const { httpPort, httpsPort, statsPort } = { ...defaultHostPorts, ...strategy.hostNetwork }
  return [
    { name: 'http', field: 'httpPort', number: httpPort },
    { name: 'https', field: 'httpsPort', number: httpsPort },
    { name: 'metrics', field: 'statsPort', number: statsPort },
  ]
}
