import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import { removeCondition, setCondition } from '../kube/conditions.ts'
import { addFinalizer, isBeingDeleted } from '../kube/finalizers.ts'
import { Deployment, PodDisruptionBudget, Service, ServiceAccount } from '../kube/kinds.ts'
import type { Kind, KubeObject } from '../kube/objects.ts'
import { patchTowards } from '../kube/patch-towards.ts'
import type { Stored } from '../kube/store.ts'
import { domainOf, refusals } from './admission.ts'
import { cleanUp } from './clean-up.ts'
import { admitted } from './conditions/admitted.ts'
import { deploymentConditions } from './conditions/deployment.ts'
import { allFieldsSupported } from './conditions/fields.ts'
import {
  loadBalancerAddresses,
  loadBalancerManaged,
  loadBalancerProgressing,
  loadBalancerReady,
} from './conditions/load-balancer.ts'
import { operandsManaged } from './conditions/operands.ts'
import { available, degraded, progressing, type Since, upgradeable } from './conditions/overall.ts'
import { published } from './conditions/published.ts'
import type { Statement } from './conditions/statement.ts'
import { type Action, type Create, create, type Decision, type Status, update } from './decision.ts'
import { IngressController } from './kinds.ts'
import { fieldManager, finalizer, ownerOf, routerLabel } from './names.ts'
import { occurrences } from './occurrences.ts'
import { disruptionBudget } from './operands/disruption-budget.ts'
import { internalService } from './operands/internal-service.ts'
import { keptSourceRanges, routerDeployment } from './operands/router-deployment.ts'
import { serviceAccount } from './operands/service-account.ts'
import type { Snapshot } from './snapshot.ts'
import { decideLoadBalancer, type LoadBalancerDecision } from './strategies/load-balancer-service.ts'
import {
  ourLoadBalancer,
  type WantedStrategy,
  wantedStrategy,
  wantedType,
} from './strategies/wanted-strategy.ts'

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
    ...(deployment === undefined ? [] : deploymentConditions(deployment, snapshot.pods)),
  ]
  return report(snapshot, { actions: [], statements, status: {} })
}

function publish(snapshot: Snapshot, strategy: WantedStrategy): Decision {
  const { controller, settings, pods } = snapshot
  const replicas = controller.spec?.replicas ?? (snapshot.isSingleNode ? 1 : 2)
  const domain = domainOf(controller, settings) ?? ''
  const loadBalancer = loadBalancerOf(snapshot, strategy)
  const { actions, foreign } = operandActions(snapshot, strategy, { replicas, domain })
  const deployment = ourDeployment(snapshot)
  const statements = [
    admitted([]),
    allFieldsSupported(snapshot, strategy),
    operandsManaged(foreign, snapshot),
    ...(deployment === undefined ? [] : deploymentConditions(deployment, pods)),
    loadBalancerManaged(loadBalancer !== undefined),
    ...(loadBalancer === undefined ? [] : [loadBalancerReady(loadBalancer.state, snapshot)]),
    loadBalancerProgressing(loadBalancer?.state, snapshot, snapshot.platform.platform),
    published(loadBalancer === undefined ? [] : loadBalancerAddresses(snapshot, loadBalancer.state)),
  ]
  return report(snapshot, {
    actions: [...addOurFinalizer(snapshot), ...actions, ...(loadBalancer?.actions ?? [])],
    statements,
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

function loadBalancerOf(
  snapshot: Snapshot,
  { loadBalancer }: WantedStrategy,
): LoadBalancerDecision | undefined {
  const { platform } = snapshot.platform
  if (loadBalancer === undefined || platform === undefined) return undefined
  return decideLoadBalancer(snapshot, loadBalancer, platform)
}

// ── operands ──

interface Operand {
  readonly kind: Kind
  readonly live: Stored<KubeObject> | undefined
  readonly wanted: Create['object']
}

/** Creates what is missing and mends what differs; what others have put under our names is left alone. */
function operandActions(
  snapshot: Snapshot,
  strategy: WantedStrategy,
  { replicas, domain }: { readonly replicas: number; readonly domain: string },
): { readonly actions: Action[]; readonly foreign: Stored<KubeObject>[] } {
  const { controller, settings, operands, isSingleNode } = snapshot
  const { platform } = snapshot.platform
  const observed = platform && ourLoadBalancer(snapshot, platform)
  const loadBalancerType =
    strategy.loadBalancer && platform && wantedType(strategy.loadBalancer, platform, observed)
  const all: Operand[] = [
    { kind: ServiceAccount, live: operands.serviceAccount, wanted: serviceAccount(snapshot) },
    {
      kind: Deployment,
      live: operands.deployment,
      wanted: routerDeployment({
        controller,
        settings,
        domain,
        replicas,
        strategy,
        isSingleNode,
        // Routers must suit the load balancer that is there, not one that is still to come.
        loadBalancerType: strategy.loadBalancer && (observed?.type ?? loadBalancerType),
        usersSourceRanges: sourceRangesToKeep(snapshot, observed?.usersSourceRanges),
      }) as Create['object'],
    },
    { kind: Service, live: operands.internalService, wanted: internalService(snapshot) },
    {
      kind: PodDisruptionBudget,
      live: operands.disruptionBudget,
      wanted: disruptionBudget(snapshot, replicas),
    },
  ]
  const isForeign = ({ live }: Operand) => live !== undefined && !isOurs(live, snapshot)
  return {
    actions: all.filter((operand) => !isForeign(operand)).flatMap(toward),
    foreign: all.filter(isForeign).flatMap(({ live }) => live ?? []),
  }
}

function toward({ kind, live, wanted }: Operand): Action[] {
  if (live === undefined) return [create(kind, wanted)]
  if (isBeingDeleted(live)) return [] // When it is gone, it is made anew.
  const patch = patchTowards(live, wanted, fieldManager)
  return patch === undefined ? [] : [update(kind, live, patch)]
}

/** While there is no Service, what was noted is what is to be kept. */
function sourceRangesToKeep(
  { operands }: Snapshot,
  observed: readonly string[] | undefined,
): readonly string[] {
  const { loadBalancer, deployment } = operands
  if (observed !== undefined && loadBalancer !== undefined && !isBeingDeleted(loadBalancer)) return observed
  return keptSourceRanges(deployment)
}

function isOurs(object: Stored<KubeObject>, { controller }: Snapshot): boolean {
  return ownerOf(object) === controller.metadata.name
}

function ourDeployment(snapshot: Snapshot): Stored<DeploymentObject> | undefined {
  const { deployment } = snapshot.operands
  return deployment !== undefined && isOurs(deployment, snapshot) ? deployment : undefined
}

function addOurFinalizer({ controller }: Snapshot): Action[] {
  const patch = addFinalizer(controller, finalizer)
  return patch === undefined ? [] : [update(IngressController, controller, patch.body)]
}

// ── status ──

interface Report {
  readonly actions: readonly Action[]
  readonly statements: readonly Statement[]
  readonly status: Status
  readonly lookAgainAt?: Date
}

/** Puts the statements into the status, draws the conclusions from them, and tells what is new about it. */
function report(snapshot: Snapshot, { actions, statements, status, lookAgainAt }: Report): Decision {
  const { controller, now } = snapshot
  const told = withStatements(stillTrue(controller.status?.conditions, statements), statements, now)
  const isDegraded = degraded(told, now)
  const conclusions = [available(told), progressing(told), isDegraded.statement, upgradeable(told)]
  const conditions = withStatements(told, conclusions, now)
  const whole: Status = {
    ...controller.status,
    ...status,
    ...(controller.metadata.generation !== undefined && {
      observedGeneration: controller.metadata.generation,
    }),
    conditions,
  }
  return {
    actions,
    status: whole,
    occurrences: occurrences(snapshot, whole),
    lookAgainAt: earliest(lookAgainAt, isDegraded.lookAgainAt),
  }
}

/** Without what was said about a load balancer, where there is to be none any more. */
function stillTrue(conditions: readonly Since[] = [], statements: readonly Statement[]): readonly Since[] {
  const isSaid = (type: string) => statements.some((statement) => statement.type === type)
  return isSaid('LoadBalancerManaged') && !isSaid('LoadBalancerReady')
    ? removeCondition(conditions, 'LoadBalancerReady')
    : conditions
}

function withStatements(
  conditions: readonly Since[],
  statements: readonly Statement[],
  now: Date,
): readonly Since[] {
  return statements.reduce((list, statement) => setCondition<Since>(list, statement, now), conditions)
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
