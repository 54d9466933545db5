import { isBeingDeleted, removeFinalizer } from '../kube/finalizers.ts'
import { Deployment, IngressClass, PodDisruptionBudget, Service, ServiceAccount } from '../kube/kinds.ts'
import { type Kind, type KubeObject, keyOf } from '../kube/objects.ts'
import type { Stored } from '../kube/store.ts'
import { Consent } from './consent.ts'
import { type Action, type Decision, deleteUnder, update } from './decision.ts'
import { IngressController } from './kinds.ts'
import { finalizer, ownerOf } from './names.ts'
import { isClassOf } from './operands/ingress-class.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * What to do about a controller that is being deleted, one step after the other:
 *
 *  1. the load balancer goes, and we wait until the cloud has removed it: none is left behind that nobody knows of;
 *  2. the routers go, now that nobody sends them anything, and all else that was made for them;
 *  3. when the last router has ended, the controller may go.
 */
export function cleanUp(snapshot: Snapshot): Decision {
  const { controller } = snapshot
  const consent = Consent.byDeletion(controller)
  const actions = consent === undefined ? [] : nextStep(snapshot, consent)
  return { actions, status: undefined, addresses: [], occurrences: [], lookAgainAt: undefined }
}

function nextStep(snapshot: Snapshot, consent: Consent): Action[] {
  const { controller, operands, pods } = snapshot
  const ours = (object: Stored<KubeObject> | undefined): Stored<KubeObject>[] =>
    object !== undefined && ownerOf(object) === controller.metadata.name ? [object] : []
  const steps: readonly (readonly Operand[])[] = [
    [...ours(operands.loadBalancer), ...ours(operands.nodePortService)].map((object) => ({
      kind: Service,
      object,
    })),
    [
      ...ours(operands.deployment).map((object) => ({ kind: Deployment, object })),
      ...ours(operands.internalService).map((object) => ({ kind: Service, object })),
      ...ours(operands.disruptionBudget).map((object) => ({ kind: PodDisruptionBudget, object })),
      ...ours(operands.serviceAccount).map((object) => ({ kind: ServiceAccount, object })),
      ...(operands.ingressClass && isClassOf(controller, operands.ingressClass)
        ? [{ kind: IngressClass, object: operands.ingressClass }]
        : []),
    ],
  ]
  const next = steps.find((step) => step.length > 0)
  if (next !== undefined) {
    return next
      .filter(({ object }) => !isBeingDeleted(object))
      .map(({ kind, object }) => deleteUnder(consent, kind, object, deleted(kind, object, consent)))
  }
  if (pods.length > 0) return []
  const patch = removeFinalizer(controller, finalizer)
  return patch === undefined ? [] : [update(IngressController, controller, patch.body)]
}

type OperandKind = 'Service' | 'Deployment' | 'PodDisruptionBudget' | 'ServiceAccount' | 'IngressClass'

interface Operand {
  readonly kind: Kind
  readonly object: Stored<KubeObject>
}

function deleted({ kind }: Kind, { metadata: { namespace, name } }: Stored<KubeObject>, consent: Consent) {
  return {
    type: 'Normal',
    reason: `${kind as OperandKind}Deleted`,
    action: `Delete${kind}`,
    note: `Deleted the ${kind} ${keyOf({ namespace, name })}, because ${String(consent)}`,
  } as const
}
