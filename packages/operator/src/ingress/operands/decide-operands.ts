import {
  type Cached,
  Deployment,
  IngressClass,
  isBeingDeleted,
  type Kind,
  type KubeObject,
  ownedMergePatch,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import { Consent } from '../consent.ts'
import {
  type Action,
  type Create,
  create,
  deleteWithConsent,
  dependingOn,
  type OperandRef,
  update,
} from '../decision.ts'
import { fieldManager, nodePortServiceName, ownerOf } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import type { ObservedLoadBalancer } from '../strategies/observed-load-balancer.ts'
import { retirementTime } from '../strategies/retirement.ts'
import { movesHostPorts, type RouterTemplate, strategyOfRouters } from '../strategies/transition.ts'
import { ourLoadBalancer, type WantedStrategy, wantedType } from '../strategies/wanted-strategy.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { ingressClass, isClassOf } from './ingress-class.ts'
import { internalService } from './internal-service.ts'
import { nodePortService } from './node-port-service.ts'
import type { Replicas } from './replicas.ts'
import { rollingUpdate } from './rolling-update.ts'
import { keptSourceRanges, routerDeployment } from './router-deployment.ts'

export interface OperandsDecision {
  readonly actions: readonly Action[]
  /** What has a name that we want and is not ours: left alone. */
  readonly unowned: readonly Cached<KubeObject>[]
  /** When what led in before may go; undefined while the strategy that is wanted is not ready. */
  readonly oldWayGoesAt: Date | undefined
  /** When node ports may go, if only the time for clients to follow is missing. */
  readonly requeueAt: Date | undefined
}

/** What runs for a controller, the load balancer aside. */
export interface OperandsWanted {
  readonly strategy: WantedStrategy
  readonly domain: string
  readonly replicas: Replicas
}

interface Operand {
  readonly kind: Kind
  readonly live: Cached<KubeObject> | undefined
  readonly wanted: Create['object']
}

/** Creates what is missing and mends what differs. */
export function decideOperands(snapshot: Snapshot, wanted: OperandsWanted): OperandsDecision {
  const { operands } = snapshot
  const { strategy, replicas } = wanted
  const { platform } = snapshot.platform
  const observed = platform && ourLoadBalancer(snapshot, platform)
  const routers = deploymentFor(snapshot, wanted, observed)
  const oldWayGoesAt = retirementTime(snapshot, { strategy, observed, routers: routers as RouterTemplate })
  const nodePorts = retireNodePorts(snapshot, strategy, oldWayGoesAt)
  // Services first: routers may move only when there is another way to reach them.
  const all: Operand[] = [
    { kind: Service, live: operands.internalService, wanted: internalService(snapshot) },
    ...(strategy.type === 'NodePortService'
      ? [{ kind: Service, live: operands.nodePortService, wanted: nodePortService(snapshot) }]
      : []),
    { kind: Deployment, live: operands.deployment, wanted: routers },
    { kind: IngressClass, live: operands.ingressClass, wanted: ingressClass(snapshot) },
    {
      kind: PodDisruptionBudget,
      live: operands.disruptionBudget,
      wanted: disruptionBudget(snapshot, replicas.count),
    },
  ]
  const { ingressClass: liveClass } = operands
  const isUnowned = ({ live }: Operand) =>
    live !== undefined &&
    !(live === liveClass ? isClassOf(snapshot.controller, liveClass) : isOurs(live, snapshot))
  return {
    actions: [
      ...all
        .filter((operand) => !isUnowned(operand))
        .flatMap(toward)
        .map((action) =>
          action.kind === Deployment ? dependingOn(action, ...routersNeed(snapshot)) : action,
        ),
      ...nodePorts.actions,
    ],
    unowned: all.filter(isUnowned).flatMap(({ live }) => live ?? []),
    oldWayGoesAt,
    requeueAt: nodePorts.requeueAt,
  }
}

/** Routers may leave the ports of their nodes only when there is another way to reach them. */
function routersNeed({ controller, settings: { operandNamespace: namespace } }: Snapshot): OperandRef[] {
  return [{ kind: Service, ref: { namespace, name: nodePortServiceName(controller.metadata.name) } }]
}

export function ourDeployment(snapshot: Snapshot): Cached<DeploymentObject> | undefined {
  const { deployment } = snapshot.operands
  return deployment !== undefined && isOurs(deployment, snapshot) ? deployment : undefined
}

function toward({ kind, live, wanted }: Operand): Action[] {
  if (live === undefined) return [create(kind, wanted)]
  if (isBeingDeleted(live)) return [] // When it is gone, it is made anew.
  const patch = ownedMergePatch(live, wanted, fieldManager)
  if (patch === undefined) return []
  const moves = kind === Deployment && movesHostPorts(live, wanted)
  return [update(kind, live, patch, moves ? { disruption: 'reconfigures' } : {})]
}

function deploymentFor(
  snapshot: Snapshot,
  { strategy, domain, replicas }: OperandsWanted,
  observed: ObservedLoadBalancer | undefined,
): Create['object'] {
  const { controller, settings, isSingleNode } = snapshot
  const { platform } = snapshot.platform
  const asRun = strategyOfRouters(snapshot, strategy, observed)
  const typeToCome = asRun.loadBalancer && platform && wantedType(asRun.loadBalancer, platform, observed)
  const isThere = observed !== undefined && observed.addresses.length > 0
  const toCome = asRun.loadBalancer && platform?.initialAnnotations?.(typeToCome)
  const annotations = (isThere ? observed.service.metadata.annotations : toCome) ?? {}
  return routerDeployment({
    controller,
    settings,
    domain,
    replicas,
    strategy: asRun,
    isSingleNode,
    rollingUpdate: rollingUpdate(snapshot, asRun, replicas.count),
    // Routers must suit the load balancer that is there, not one that is still to come.
    loadBalancerType: isThere ? observed.type : typeToCome,
    loadBalancerSendsProxyHeader: platform?.sendsProxyHeader?.(annotations) ?? false,
    usersSourceRanges: sourceRangesToKeep(snapshot, observed),
  }) as Create['object']
}

/** While there is no Service, what was noted is what is to be kept. */
function sourceRangesToKeep(
  { operands: { deployment } }: Snapshot,
  observed: ObservedLoadBalancer | undefined,
): readonly string[] {
  if (observed !== undefined && !isBeingDeleted(observed.service)) return observed.usersSourceRanges
  return keptSourceRanges(deployment)
}

/** Node ports that are no longer requested are deleted once clients could follow to the new way in. */
function retireNodePorts(
  snapshot: Snapshot,
  strategy: WantedStrategy,
  goesAt: Date | undefined,
): Pick<OperandsDecision, 'actions' | 'requeueAt'> {
  const stay = { actions: [], requeueAt: undefined }
  const service = snapshot.operands.nodePortService
  if (strategy.type === 'NodePortService' || service === undefined || isBeingDeleted(service)) return stay
  const consent = Consent.byTypeChange(snapshot.controller, service)
  if (consent === undefined || !isOurs(service, snapshot) || goesAt === undefined) return stay
  if (goesAt > snapshot.now) return { actions: [], requeueAt: goesAt }
  const { namespace, name } = service.metadata
  const deletion = deleteWithConsent(consent, Service, service, {
    type: 'Normal',
    reason: 'ServiceDeleted',
    action: 'DeleteService',
    note: `Deleted the Service ${namespace}/${name}, because ${String(consent)}`,
  })
  return { actions: [deletion], requeueAt: undefined }
}

function isOurs(object: Cached<KubeObject>, { controller }: Snapshot): boolean {
  return ownerOf(object) === controller.metadata.name
}
