import { addFinalizer, isBeingDeleted } from '../kube/finalizers.ts'
import { domainOf, refusals } from './admission.ts'
import { cleanUp } from './clean-up.ts'
import { admitted } from './conditions/admitted.ts'
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
import type { Statement } from './conditions/statement.ts'
import { controllerAddresses } from './controller-addresses.ts'
import { type Action, type Decision, type Status, update } from './decision.ts'
import { IngressController } from './kinds.ts'
import { finalizer, routerLabel } from './names.ts'
import { decideOperands, ourDeployment } from './operands/decide-operands.ts'
import { report } from './report.ts'
import type { Snapshot } from './snapshot.ts'
import { decideLeftOver } from './strategies/left-over-load-balancer.ts'
import { decideLoadBalancer, type LoadBalancerDecision } from './strategies/load-balancer-service.ts'
import { type WantedStrategy, wantedStrategy } from './strategies/wanted-strategy.ts'

/**
 * What to do about one controller and what to say about it. All of the product's knowledge is here and below: a pure
 * function of the snapshot, without a clock or a network of its own.
 */
export function decide(snapshot: Snapshot): Decision {
  if (isBeingDeleted(snapshot.controller)) return cleanUp(snapshot)
  const strategy = wantedStrategy(snapshot)
  const refused = refusals(snapshot, strategy)
  if (strategy === undefined || refused.length > 0) return refuse(snapshot, strategy, refused)
  return publish(snapshot, strategy)
}

/** What runs already goes on as it is; nothing new is begun. */
function refuse(
  snapshot: Snapshot,
  strategy: WantedStrategy | undefined,
  refused: readonly string[],
): Decision {
  const deployment = ourDeployment(snapshot)
  const statements = [
    admitted(refused),
    allFieldsSupported(snapshot, strategy),
    ...(deployment === undefined ? [] : routerStatements(snapshot, deployment)),
  ]
  const before = snapshot.controller.status?.endpointPublishingStrategy
  const addresses = before === undefined ? [] : controllerAddresses(snapshot, before)
  return report(snapshot, { actions: [], statements, addresses })
}

/** How it stands with routers that run by what was admitted before. */
function routerStatements(
  snapshot: Snapshot,
  deployment: NonNullable<ReturnType<typeof ourDeployment>>,
): Statement[] {
  const before = snapshot.controller.status?.endpointPublishingStrategy
  return [
    ...(before === undefined
      ? []
      : [
          ...portsAvailable(snapshot, before),
          podsScheduled(snapshot, before),
          podsStarted(snapshot, before),
        ]),
    ...deploymentConditions(deployment, snapshot.pods),
  ]
}

function publish(snapshot: Snapshot, strategy: WantedStrategy): Decision {
  const { controller, settings, pods } = snapshot
  const replicas = controller.spec?.replicas ?? (snapshot.isSingleNode ? 1 : 2)
  const domain = domainOf(controller, settings) ?? ''
  const hasLoadBalancer = strategy.type === 'LoadBalancerService'
  const loadBalancer = loadBalancerOf(snapshot, strategy)
  const operands = decideOperands(snapshot, { strategy, domain, replicas })
  const deployment = ourDeployment(snapshot)
  const addresses = controllerAddresses(snapshot, strategy)
  const statements = [
    admitted([]),
    allFieldsSupported(snapshot, strategy),
    operandsManaged(operands.foreign, snapshot),
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
    actions: [...addOurFinalizer(snapshot), ...operands.actions, ...(loadBalancer?.actions ?? [])],
    statements,
    addresses,
    status: {
      domain,
      endpointPublishingStrategy: strategy,
      selector: `${routerLabel}=${controller.metadata.name}`,
      availableReplicas: deployment?.status?.availableReplicas ?? 0,
      ...selectors(controller.spec),
    },
    ...(loadBalancer?.state.state === 'changing' && { lookAgainAt: loadBalancer.state.until }),
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
function loadBalancerOf(snapshot: Snapshot, strategy: WantedStrategy): LoadBalancerDecision | undefined {
  const { platform } = snapshot.platform
  if (strategy.loadBalancer === undefined) return decideLeftOver(snapshot, strategy)
  return platform && decideLoadBalancer(snapshot, strategy.loadBalancer, platform)
}

function addOurFinalizer({ controller }: Snapshot): Action[] {
  const patch = addFinalizer(controller, finalizer)
  return patch === undefined ? [] : [update(IngressController, controller, patch.body)]
}
