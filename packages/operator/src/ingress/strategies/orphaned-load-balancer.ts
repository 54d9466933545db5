import { isBeingDeleted, Service } from '@portcullis/kube'
import { Consent } from '../consent.ts'
import { deleteWithConsent } from '../decision.ts'
import { ownerOf } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import type { LoadBalancerDecision } from './decide-load-balancer.ts'
import type { WantedStrategy } from './wanted-strategy.ts'

/**
 * What becomes of the load balancer of a controller whose type is another now: it goes under the same rule as with a
 * change of scope, and not before clients could follow to the new way in.
 *
 * @param goesAt see `retirementTime`
 * @returns undefined where there is none
 */
export function decideOrphaned(
  snapshot: Snapshot,
  strategy: WantedStrategy,
  goesAt: Date | undefined,
): LoadBalancerDecision | undefined {
  const { controller, operands } = snapshot
  const service = operands.loadBalancer
  if (service === undefined || ownerOf(service) !== controller.metadata.name) return undefined
  const state = { state: 'orphaned', service, type: strategy.type } as const
  const consent = Consent.byAnnotation(controller)
  if (isBeingDeleted(service) || consent === undefined || goesAt === undefined) return { actions: [], state }
  if (goesAt > snapshot.now) return { actions: [], state, requeueAt: goesAt }
  const { namespace, name } = service.metadata
  const deletion = deleteWithConsent(consent, Service, service, {
    type: 'Normal',
    reason: 'ServiceDeleted',
    action: 'DeleteService',
    note: `Deleted the Service ${namespace}/${name} of the previous load balancer: the strategy is now ${strategy.type}, and ${String(consent)}`,
  })
  return { actions: [deletion], state }
}
