import {
  type Cached,
  Deployment,
  IngressClass,
  isBeingDeleted,
  type Kind,
  type KubeObject,
  keyOf,
  PodDisruptionBudget,
  removeFinalizer,
  Service,
} from '@portcullis/kube'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import { report } from './build-status.ts'
import { deploymentConditions } from './conditions/deployment.ts'
import { loadBalancerTerminating } from './conditions/load-balancer.ts'
import { published } from './conditions/published.ts'
import { Consent } from './consent.ts'
import { controllerAddresses } from './controller-addresses.ts'
import { type Action, type Decision, deleteWithConsent, type OperandRef, update } from './decision.ts'
import { IngressController } from './kinds.ts'
import {
  finalizer,
  ingressClassName,
  internalServiceName,
  nodePortServiceName,
  ownerOf,
  routerName,
} from './names.ts'
import { ourDeployment } from './operands/decide-operands.ts'
import { isClassOf } from './operands/ingress-class.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * What to do about a controller that is being deleted, one step after the other:
 *
 *  1. the load balancer goes, and we wait until the cloud has removed it: none is left behind unnoticed;
 *  2. the routers go, now that they receive no traffic, and all other operands;
 *  3. when the last router has ended, the controller may go.
 *
 * The first may take long, and the cloud may refuse it: then that is said. The rest is over before anybody looks.
 */
export function cleanUp(snapshot: Snapshot): Decision {
  const { controller, operands } = snapshot
  const consent = Consent.byDeletion(controller)
  const actions = consent === undefined ? [] : nextStep(snapshot, consent)
  const { loadBalancer } = operands
  if (loadBalancer !== undefined && isOurs(loadBalancer, snapshot) && isBeingDeleted(loadBalancer)) {
    return reportWait(snapshot, loadBalancer, actions)
  }
  return { actions, status: undefined, addresses: [], events: [], contested: [], requeueAt: undefined }
}

function reportWait(snapshot: Snapshot, loadBalancer: Cached<ServiceObject>, actions: Action[]): Decision {
  const before = snapshot.controller.status?.endpointPublishingStrategy
  const addresses = before === undefined ? [] : controllerAddresses(snapshot, before)
  const deployment = ourDeployment(snapshot)
  const drafts = [
    ...(deployment === undefined ? [] : deploymentConditions(deployment, snapshot.pods)),
    ...loadBalancerTerminating(loadBalancer, snapshot),
    published(addresses),
  ]
  return report(snapshot, { actions, drafts, addresses })
}

function isOurs(object: Cached<KubeObject>, { controller }: Snapshot): boolean {
  return ownerOf(object) === controller.metadata.name
}

function nextStep(snapshot: Snapshot, consent: Consent): Action[] {
  const { controller, operands, pods, settings } = snapshot
  const ours = (object: Cached<KubeObject> | undefined): Cached<KubeObject>[] =>
    object !== undefined && isOurs(object, snapshot) ? [object] : []
  const steps: readonly (readonly Operand[])[] = [
    [...ours(operands.loadBalancer), ...ours(operands.nodePortService)].map((object) => ({
      kind: Service,
      object,
    })),
    [
      ...ours(operands.deployment).map((object) => ({ kind: Deployment, object })),
      ...ours(operands.internalService).map((object) => ({ kind: Service, object })),
      ...ours(operands.disruptionBudget).map((object) => ({ kind: PodDisruptionBudget, object })),
      ...(operands.ingressClass && isClassOf(controller, operands.ingressClass)
        ? [{ kind: IngressClass, object: operands.ingressClass }]
        : []),
    ],
  ]
  const next = steps.find((step) => step.length > 0)
  if (next !== undefined) {
    return next
      .filter(({ object }) => !isBeingDeleted(object))
      .map(({ kind, object }) => deleteWithConsent(consent, kind, object, deleted(kind, object, consent)))
  }
  if (pods.length > 0) return []
  const patch = removeFinalizer(controller, finalizer)
  if (patch === undefined) return []
  return [
    update(IngressController, controller, patch.body, {
      onlyWithout: operandsOf(controller.metadata.name, settings),
    }),
  ]
}

/** All that may have been made for a controller. */
export function operandsOf(name: string, { operandNamespace: namespace }: Settings): OperandRef[] {
  const router = { namespace, name: routerName(name) }
  return [
    { kind: Service, ref: router },
    { kind: Service, ref: { namespace, name: nodePortServiceName(name) } },
    { kind: Service, ref: { namespace, name: internalServiceName(name) } },
    { kind: Deployment, ref: router },
    { kind: PodDisruptionBudget, ref: router },
    { kind: IngressClass, ref: { name: ingressClassName(name) } },
  ]
}

type OperandKind = 'Service' | 'Deployment' | 'PodDisruptionBudget' | 'IngressClass'

interface Operand {
  readonly kind: Kind
  readonly object: Cached<KubeObject>
}

function deleted({ kind }: Kind, { metadata: { namespace, name } }: Cached<KubeObject>, consent: Consent) {
  return {
    type: 'Normal',
    reason: `${kind as OperandKind}Deleted`,
    action: `Delete${kind}`,
    note: `Deleted the ${kind} ${keyOf({ namespace, name })}, because ${String(consent)}`,
  } as const
}
