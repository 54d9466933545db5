import type { Cached, DeepReadonly, Kind, KubeObject, MergePatch, ObjectRef } from '@portcullis/kube'
import type { Address } from '../addresses/address.ts'
import type { IngressControllerStatus } from '../api/ingress-controller.ts'
import type { Consent } from './consent.ts'
import type { ContestedField } from './contested-fields.ts'
import type { IngressControllerEvent } from './reasons/reasons.ts'

export type Status = DeepReadonly<IngressControllerStatus>

/** The actions for one controller, its status, and when to requeue. */
export interface Decision {
  /** In this order; each says itself what it depends on. */
  readonly actions: readonly Action[]
  /** The whole status, true of the snapshot; undefined for a controller that goes away. */
  readonly status: Status | undefined
  /** Where the controller is reached now. */
  readonly addresses: readonly Address[]
  /** The Events to record once the status is written. */
  readonly events: readonly IngressControllerEvent[]
  /** What is left to others, who keep changing it. */
  readonly contested: readonly ContestedField[]
  /** At this time something changes by itself: a grace period ends. */
  readonly requeueAt: Date | undefined
}

/** One write. What it does to traffic is part of it. */
export type Action = Create | Update | Delete

interface Dependent {
  /**
   * Carried out only if nothing that was to be done before it about one of these was refused: a cluster whose
   * webhook rejects a PodDisruptionBudget shall have a load balancer all the same.
   */
  readonly dependsOn: readonly OperandRef[]
}

export interface Create extends Dependent {
  readonly do: 'create'
  readonly kind: Kind
  readonly object: KubeObject & { readonly metadata: { readonly namespace?: string; readonly name: string } }
  readonly disruption: 'none'
  readonly event?: IngressControllerEvent
}

export interface Update extends Dependent {
  readonly do: 'update'
  readonly kind: Kind
  /** Carried out only if it still is as it was seen. */
  readonly object: Cached<KubeObject>
  readonly patch: MergePatch
  /** Carried out only if the API server itself has none of these any more that is the controller's. */
  readonly onlyWithout: readonly OperandRef[]
  readonly disruption: 'none' | 'reconfigures'
  readonly event?: IngressControllerEvent
}

export interface OperandRef {
  readonly kind: Kind
  readonly ref: ObjectRef
}

export interface Delete extends Dependent {
  readonly do: 'delete'
  readonly kind: Kind
  readonly object: Cached<KubeObject>
  readonly disruption: 'interrupts'
  readonly consent: Consent
  readonly event?: IngressControllerEvent
}

export function create(kind: Kind, object: Create['object'], event?: IngressControllerEvent): Create {
  return { do: 'create', kind, object, dependsOn: [], disruption: 'none', ...(event && { event }) }
}

export function update(
  kind: Kind,
  object: Cached<KubeObject>,
  patch: MergePatch,
  {
    onlyWithout = [],
    disruption = 'none',
    event,
  }: Partial<Pick<Update, 'onlyWithout' | 'disruption' | 'event'>> = {},
): Update {
  return {
    do: 'update',
    kind,
    object,
    patch,
    dependsOn: [],
    onlyWithout,
    disruption,
    ...(event && { event }),
  }
}

/** A deletion interrupts traffic, so it cannot be created without a Consent (see consent.ts). */
export function deleteWithConsent(
  consent: Consent,
  kind: Kind,
  object: Cached<KubeObject>,
  event?: IngressControllerEvent,
): Delete {
  return {
    do: 'delete',
    kind,
    object,
    dependsOn: [],
    disruption: 'interrupts',
    consent,
    ...(event && { event }),
  }
}

/** Refuses to do it where one of these could not be done first. */
export function dependingOn<A extends Action>(action: A, ...operands: readonly OperandRef[]): A {
  return { ...action, dependsOn: [...action.dependsOn, ...operands] }
}
