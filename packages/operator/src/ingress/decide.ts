import { Deployment, hasFinalizer, isBeingDeleted } from '@portcullis/kube'
import { refusals } from './admission.ts'
import { earliest, report } from './build-status.ts'
import { cleanUp } from './clean-up.ts'
import { admitted } from './conditions/admitted.ts'
import type { ConditionDraft } from './conditions/condition-draft.ts'
import { addressesUncontested } from './conditions/contested.ts'
import { deploymentConditions } from './conditions/deployment.ts'
import { allFieldsSupported } from './conditions/fields.ts'
import {
  loadBalancerManaged,
  loadBalancerProgressing,
  loadBalancerReady,
} from './conditions/load-balancer.ts'
import { operandsManaged } from './conditions/operands.ts'
import { podsScheduled, podsStarted } from './conditions/pods.ts'
import { portsAvailable } from './conditions/ports.ts'
import { published } from './conditions/published.ts'
import { backOff } from './contested-fields.ts'
import { controllerAddresses } from './controller-addresses.ts'
import { type Action, type Decision, dependingOn, type Status, update } from './decision.ts'
import { domainOf } from './domains.ts'
import { IngressController } from './kinds.ts'
import { lastAdmitted } from './last-admitted.ts'
import { finalizer, internalServiceName, routerLabel, routerName } from './names.ts'
import { decideOperands, ourDeployment } from './operands/decide-operands.ts'
import { wantedReplicas } from './operands/replicas.ts'
import type { Snapshot } from './snapshot.ts'
import {
  decideLoadBalancer,
  type LoadBalancerDecision,
  lookAtLoadBalancer,
} from './strategies/decide-load-balancer.ts'
import { decideOrphaned } from './strategies/orphaned-load-balancer.ts'
import { type WantedStrategy, wantedStrategy } from './strategies/wanted-strategy.ts'

/**
 * The actions for one controller and its status. All of the product's knowledge is here and below: a pure
 * function of the snapshot, without a clock or a network of its own.
 */
export function decide(snapshot: Snapshot): Decision {
  if (isBeingDeleted(snapshot.controller)) return cleanUp(snapshot)
  const strategy = wantedStrategy(snapshot)
  const refused = refusals(snapshot, strategy)
  const verdict = [admitted(refused), allFieldsSupported(snapshot, strategy)]
  return strategy === undefined || refused.length > 0
    ? refuse(snapshot, verdict)
    : publish(snapshot, strategy, verdict)
}

/** What was admitted before goes on; nothing of what is refused is begun. */
function refuse(snapshot: Snapshot, verdict: readonly ConditionDraft[]): Decision {
  const before = lastAdmitted(snapshot)
  const strategy = before && wantedStrategy(before.snapshot)
  if (before === undefined || strategy === undefined) return neverAdmitted(snapshot, verdict)
  const { platform } = snapshot.platform
  const knowsLoadBalancer = strategy.type !== 'LoadBalancerService' || platform !== undefined
  const noted = internalServiceName(snapshot.controller.metadata.name)
  const isKept = ({ kind, object }: Action) =>
    (kind === Deployment && !(before.knowsRouters && knowsLoadBalancer)) ||
    (object.metadata.name === noted && !before.knowsRouters)
  const decision = publish(before.snapshot, strategy, verdict)
  const actions = decision.actions.filter((each) => each.disruption !== 'interrupts' && !isKept(each))
  return { ...decision, actions }
}

/** Nothing was made for it; but one of its name may have been there before it, and have left something. */
function neverAdmitted(snapshot: Snapshot, verdict: readonly ConditionDraft[]): Decision {
  const deployment = ourDeployment(snapshot)
  const addresses = controllerAddresses(snapshot, { type: 'Private' })
  const drafts = [
    ...verdict,
    ...(deployment === undefined ? [] : deploymentConditions(deployment, snapshot.pods)),
    published(addresses),
  ]
  return report(snapshot, { actions: [], drafts, addresses })
}

function publish(snapshot: Snapshot, strategy: WantedStrategy, verdict: readonly ConditionDraft[]): Decision {
  const { controller, settings, pods } = snapshot
  const replicas = wantedReplicas(snapshot)
  const domain = domainOf(controller, settings) ?? ''
  const hasLoadBalancer = strategy.type === 'LoadBalancerService'
  const operands = decideOperands(snapshot, { strategy, domain, replicas })
  const loadBalancer = loadBalancerOf(snapshot, strategy, operands.oldWayGoesAt)
  const deployment = ourDeployment(snapshot)
  const addresses = controllerAddresses(snapshot, strategy)
  const { actions, contested, requeueAt } = backOff(snapshot, [
    ...addOurFinalizer(snapshot),
    ...[...operands.actions, ...(loadBalancer?.actions ?? [])].map((action) => inTurn(action, snapshot)),
  ])
  const changesUntil = loadBalancer?.state.state === 'changing' ? loadBalancer.state.until : undefined
  const drafts = [
    ...verdict,
    operandsManaged(operands.unowned, contested, snapshot),
    addressesUncontested(snapshot),
    ...portsAvailable(snapshot, strategy),
    podsScheduled(snapshot, strategy),
    podsStarted(snapshot, strategy),
    ...(deployment === undefined ? [] : deploymentConditions(deployment, pods)),
    loadBalancerManaged(hasLoadBalancer),
    ...(hasLoadBalancer && loadBalancer ? [loadBalancerReady(loadBalancer.state, snapshot)] : []),
    loadBalancerProgressing(loadBalancer?.state, snapshot, snapshot.platform.platform),
    published(addresses),
  ]
  return report(snapshot, {
    actions,
    contested,
    drafts,
    addresses,
    status: {
      domain,
      endpointPublishingStrategy: strategy,
      selector: `${routerLabel}=${controller.metadata.name}`,
      availableReplicas: deployment?.status?.availableReplicas ?? 0,
      ...selectors(controller.spec),
    },
    requeueAt: [changesUntil, operands.requeueAt, loadBalancer?.requeueAt].reduce(earliest, requeueAt),
  })
}

function selectors({
  namespaceSelector,
  routeSelector,
}: NonNullable<Snapshot['controller']['spec']> = {}): Status {
  return {
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(routeSelector !== undefined && { routeSelector }),
  }
}

/** The load balancer that is wanted, or the one that is left over from another strategy. */
function loadBalancerOf(
  snapshot: Snapshot,
  strategy: WantedStrategy,
  oldWayGoesAt: Date | undefined,
): LoadBalancerDecision | undefined {
  const { platform } = snapshot.platform
  if (strategy.loadBalancer === undefined) return decideOrphaned(snapshot, strategy, oldWayGoesAt)
  return platform === undefined
    ? lookAtLoadBalancer(snapshot)
    : decideLoadBalancer(snapshot, strategy.loadBalancer, platform)
}

/**
 * Nothing is made before it is sure to be cleaned up. And nothing is deleted before the routers are as they should be: on
 * their Deployment stands which source ranges the next Service has to have.
 */
function inTurn(action: Action, { controller, settings }: Snapshot): Action {
  const routers = { namespace: settings.operandNamespace, name: routerName(controller.metadata.name) }
  return dependingOn(
    action,
    { kind: IngressController, ref: controller.metadata },
    ...(action.do === 'delete' ? [{ kind: Deployment, ref: routers }] : []),
  )
}

/** Each write names the resourceVersion that it was decided on: no finalizer of another client is dropped. */
function addOurFinalizer({ controller }: Snapshot): Action[] {
  if (hasFinalizer(controller, finalizer)) return []
  const finalizers = [...(controller.metadata.finalizers ?? []), finalizer]
  return [update(IngressController, controller, { metadata: { finalizers } })]
}
