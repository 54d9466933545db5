import type { DeepReadonly } from '@portcullis/kube'
import type { Scope, StrategyType } from '../api/endpoint-publishing-strategy.ts'
import type { IngressControllerSpec } from '../api/ingress-controller.ts'
import { memberOfType } from '../ingress/strategies/wanted-strategy.ts'

/** A change in a few words, as it is asked for on the command line. */
export interface AskedChange {
  readonly type?: StrategyType
  readonly scope?: Scope
  readonly loadBalancerType?: 'Classic' | 'NLB'
  readonly httpPort?: number
  readonly httpsPort?: number
  readonly statsPort?: number
  readonly replicas?: number
}

/** The merge patch of a spec that asks for it, and for nothing else. */
export function patchFor(
  { type, scope, loadBalancerType, replicas, httpPort, httpsPort, statsPort }: AskedChange,
  spec: DeepReadonly<IngressControllerSpec> = {},
): object {
  const before = spec.endpointPublishingStrategy
  const ports = Object.fromEntries(
    Object.entries({ httpPort, httpsPort, statsPort }).filter(([, port]) => port !== undefined),
  )
  const hasPorts = Object.keys(ports).length > 0
  const asksBalancer = scope !== undefined || loadBalancerType !== undefined
  // The API wants a type with everything that is said about a strategy.
  const implied =
    before === undefined
      ? asksBalancer
        ? 'LoadBalancerService'
        : hasPorts
          ? 'HostNetwork'
          : undefined
      : undefined
  const wanted = type ?? implied
  const strategy = {
    ...(wanted !== undefined && { type: wanted }),
    ...(type !== undefined && membersOfOthers(type, before)),
    ...(asksBalancer && {
      loadBalancer: {
        ...(scope !== undefined && { scope }),
        ...(loadBalancerType !== undefined && {
          providerParameters: { type: 'AWS', aws: { type: loadBalancerType } },
        }),
      },
    }),
    ...(hasPorts && { hostNetwork: ports }),
  }
  return {
    ...(Object.keys(strategy).length > 0 && { endpointPublishingStrategy: strategy }),
    ...(replicas !== undefined && { replicas }),
  }
}

/** What belongs to another type has to go with it. */
function membersOfOthers(
  type: StrategyType,
  before: DeepReadonly<IngressControllerSpec>['endpointPublishingStrategy'],
): object {
  const others = Object.values(memberOfType).filter(
    (member) => member !== memberOfType[type] && before?.[member] !== undefined,
  )
  return Object.fromEntries(others.map((member) => [member, null]))
}
