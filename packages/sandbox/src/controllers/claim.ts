import { type Cached, controllerOf, type KubeObject, type Patch } from '@portcullis/kube'
import type { OwnerReference } from 'kubernetes-types/meta/v1'
import { type LabelSelector, matchesSelector } from './label-selector.ts'

/** An object that adopts the objects that its selector matches. */
export interface Claimant {
  readonly reference: OwnerReference
  readonly selector: LabelSelector | undefined
  readonly isBeingDeleted: boolean
}

export interface Claims<T> {
  readonly owned: readonly T[]
  /** Match and have no controller: to be adopted. */
  readonly adopt: readonly T[]
  /** Owned, but match no more: to be let go. */
  readonly release: readonly T[]
}

/** What belongs to an owner, what should, and what should no more. Whatever another controls is left alone. */
export function claim<T extends KubeObject>(
  objects: Iterable<Cached<T>>,
  { reference, selector, isBeingDeleted }: Claimant,
): Claims<Cached<T>> {
  const owned: Cached<T>[] = []
  const adopt: Cached<T>[] = []
  const release: Cached<T>[] = []
  for (const object of objects) {
    const matches = matchesSelector(selector, object.metadata.labels)
    const owner = controllerOf(object)
    if (owner?.uid === reference.uid) (matches || isBeingDeleted ? owned : release).push(object)
    else if (
      owner === undefined &&
      matches &&
      !isBeingDeleted &&
      object.metadata.deletionTimestamp === undefined
    )
      adopt.push(object)
  }
  return { owned, adopt, release }
}

export function adoptPatch({ metadata }: Cached<KubeObject>, reference: OwnerReference): Patch {
  const { uid, resourceVersion, ownerReferences = [] } = metadata
  return {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, ownerReferences: [...ownerReferences, reference] } },
  }
}

export function releasePatch({ metadata }: Cached<KubeObject>, owner: { readonly uid: string }): Patch {
  const { uid, resourceVersion, ownerReferences = [] } = metadata
  const rest = ownerReferences.filter((reference) => reference.uid !== owner.uid)
  return {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, ownerReferences: rest.length === 0 ? null : rest } },
  }
}
