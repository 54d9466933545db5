import type { DeepReadonly } from '@portcullis/kube'
import type {
  EndpointPublishingStrategy,
  LoadBalancerStrategy,
  Scope,
  StrategyType,
} from '../../api/endpoint-publishing-strategy.ts'
import { ownerOf } from '../names.ts'
import { defaultHostPorts } from '../placement/host-ports.ts'
import type { Platform } from '../platforms/platform.ts'
import type { Snapshot } from '../snapshot.ts'
import { type ObservedLoadBalancer, observeLoadBalancer } from './observed-load-balancer.ts'

type Strategy = DeepReadonly<EndpointPublishingStrategy>

/** The field of the API with the settings of each type. */
export const memberOfType = {
  LoadBalancerService: 'loadBalancer',
  HostNetwork: 'hostNetwork',
  NodePortService: 'nodePort',
  Private: 'private',
} as const satisfies Record<StrategyType, keyof Strategy>

/** What the spec asks for, with every default filled in: this is what the status shows. */
export type WantedStrategy = Strategy

/**
 * A field that is absent means the API's default, except where that would change a live load balancer: then what is
 * there is kept (BZ1904582).
 *
 * @returns undefined when the spec leaves it to the platform, and that is not known
 */
export function wantedStrategy(snapshot: Snapshot): WantedStrategy | undefined {
  const { spec, status } = snapshot.controller
  const asked = spec?.endpointPublishingStrategy
  const type =
    asked?.type ?? status?.endpointPublishingStrategy?.type ?? snapshot.platform.platform?.publishesBy
  return type === undefined ? undefined : { type, ...memberOf(type, asked, snapshot) }
}

function memberOf(type: StrategyType, asked: Strategy | undefined, snapshot: Snapshot): Partial<Strategy> {
  switch (type) {
    case 'LoadBalancerService':
      return { loadBalancer: wantedLoadBalancer(asked?.loadBalancer, snapshot) }
    case 'HostNetwork': {
      const { httpPort, httpsPort, statsPort, protocol } = asked?.hostNetwork ?? {}
      return {
        hostNetwork: {
          // OpenShift's own schema lets 0 stand for the default.
          httpPort: httpPort || defaultHostPorts.httpPort,
          httpsPort: httpsPort || defaultHostPorts.httpsPort,
          statsPort: statsPort || defaultHostPorts.statsPort,
          protocol: protocol || 'TCP',
        },
      }
    }
    case 'NodePortService':
      return { nodePort: { protocol: asked?.nodePort?.protocol || 'TCP' } }
    case 'Private':
      return { private: { protocol: asked?.private?.protocol || 'TCP' } }
  }
}

function wantedLoadBalancer(
  asked: DeepReadonly<LoadBalancerStrategy> | undefined,
  snapshot: Snapshot,
): DeepReadonly<LoadBalancerStrategy> {
  const { allowedSourceRanges, providerParameters, dnsManagementPolicy = 'Managed' } = asked ?? {}
  return {
    scope: asked?.scope ?? scopeToKeep(snapshot),
    dnsManagementPolicy,
    ...(allowedSourceRanges?.length && { allowedSourceRanges }),
    ...(providerParameters !== undefined && { providerParameters }),
  }
}

/** Of the load balancer that is there; failing that, of the one that was. Only a new one is External by default. */
function scopeToKeep(snapshot: Snapshot): Scope {
  const { platform } = snapshot.platform
  const observed = platform && ourLoadBalancer(snapshot, platform)
  return (
    observed?.scope ??
    snapshot.controller.status?.endpointPublishingStrategy?.loadBalancer?.scope ??
    'External'
  )
}

/** The type of load balancer that is wanted, where the platform has several: one that is there is kept by default. */
export function wantedType(
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
  observed: ObservedLoadBalancer | undefined,
): string | undefined {
  if (platform.types === undefined) return undefined
  return strategy.providerParameters?.aws?.type ?? observed?.type ?? platform.types.default
}

/** Undefined where there is no Service under its name, or one that is not ours. */
export function ourLoadBalancer(
  { controller, operands: { loadBalancer } }: Pick<Snapshot, 'controller' | 'operands'>,
  platform: Platform,
): ObservedLoadBalancer | undefined {
  return loadBalancer !== undefined && ownerOf(loadBalancer) === controller.metadata.name
    ? observeLoadBalancer(loadBalancer, platform)
    : undefined
}
