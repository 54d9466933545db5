import { findCondition, isBeingDeleted } from '@portcullis/kube'
import type { StrategyType } from '../../api/endpoint-publishing-strategy.ts'
import type { ConditionDraft } from '../conditions/condition-draft.ts'
import { deploymentConditions } from '../conditions/deployment.ts'
import { loadBalancerManaged, loadBalancerReady } from '../conditions/load-balancer.ts'
import { sinceWhen } from '../conditions/summary-conditions.ts'
import { ownerOf } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { lookAtLoadBalancer } from './decide-load-balancer.ts'
import type { ObservedLoadBalancer } from './observed-load-balancer.ts'
import { isRolledOut, isThere, listenAlike, protocolOf, type RouterTemplate } from './transition.ts'
import type { WantedStrategy } from './wanted-strategy.ts'

/** The way in that is requested, of a controller that may have had another. */
export interface NewWay {
  readonly strategy: WantedStrategy
  /** The Deployment of the routers as it is to be now. */
  readonly routers: RouterTemplate
  readonly observed: ObservedLoadBalancer | undefined
}

/**
 * From when on what led in before may go, be it node ports or a load balancer: the new way has been ready for so long that
 * clients, who follow DNS, could follow. Readiness is dated by conditions, of which this process knows by its own clock
 * since when they have been so; the clocks of others are not believed.
 *
 * @returns undefined while the new way is not ready
 */
export function retirementTime(snapshot: Snapshot, newWay: NewWay): Date | undefined {
  const { now, settings } = snapshot
  const { type } = newWay.strategy
  // Nobody outside is to come in any more.
  if (type === 'Private') return now
  if (!routersServe(snapshot, newWay)) return undefined
  const since = readySince(snapshot, type, newWay.observed)
  if (since === undefined) return undefined
  return nobodyCanFollow(newWay) ? now : new Date(since + settings.clientsFollowSeconds * 1000)
}

/** Whether all routers are those that the new way needs; objects of another owner do not count. */
function routersServe({ operands: { deployment }, controller }: Snapshot, { routers }: NewWay): boolean {
  return (
    deployment !== undefined &&
    ownerOf(deployment) === controller.metadata.name &&
    !isBeingDeleted(deployment) &&
    listenAlike(deployment, routers) &&
    isRolledOut(deployment)
  )
}

/**
 * Routers expect the PROXY protocol for as long as the load balancer of before sends it: if the new way is to be without,
 * nobody gets in there until that load balancer is gone, and to wait would only make that later.
 */
function nobodyCanFollow({ strategy: { hostNetwork, nodePort }, routers }: NewWay): boolean {
  const protocol = hostNetwork?.protocol ?? nodePort?.protocol
  return protocol === 'TCP' && protocolOf(routers) === 'PROXY'
}

const longAgo = 0

function readySince(
  snapshot: Snapshot,
  type: Exclude<StrategyType, 'Private'>,
  observed: ObservedLoadBalancer | undefined,
): number | undefined {
  const { controller, operands, pods } = snapshot
  switch (type) {
    case 'LoadBalancerService': {
      const ready = loadBalancerReady(lookAtLoadBalancer(snapshot).state, snapshot)
      return isThere(observed) && ready.status === 'True' ? lastsSince(ready, snapshot) : undefined
    }
    case 'NodePortService': {
      const service = operands.nodePortService
      const isOpen =
        service !== undefined && ownerOf(service) === controller.metadata.name && !isBeingDeleted(service)
      return isOpen ? lastsSince(loadBalancerManaged(false), snapshot) : undefined
    }
    case 'HostNetwork': {
      const rollingOut =
        operands.deployment &&
        deploymentConditions(operands.deployment, pods).find((draft) => draft.type === 'DeploymentRollingOut')
      // A router without a node can be missing for good. Of several, the first has then been there for two rounds of 30 s.
      return rollingOut?.status === 'False' ? lastsSince(rollingOut, snapshot) : longAgo
    }
  }
}

/** In milliseconds; from now on, if it was not so when the status was last written. */
function lastsSince(draft: ConditionDraft, { controller, now, conditionsObservedSince }: Snapshot): number {
  const before = findCondition(controller.status?.conditions, draft.type)
  return before?.status === draft.status ? sinceWhen(before, conditionsObservedSince) : now.getTime()
}
