import type { OwnerReference } from 'kubernetes-types/meta/v1'
import type { GraphNode } from './graph.ts'

export const foregroundFinalizer = 'foregroundDeletion'
export const orphanFinalizer = 'orphan'

/** How an owner is: there; there, but only waiting for its dependents to go; or not there. */
export type OwnerState = 'solid' | 'waiting' | 'absent'

export interface CollectionSnapshot {
  readonly item: GraphNode
  readonly dependents: readonly GraphNode[]
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[]
}

export type CollectionDecision =
  | { readonly action: 'nothing' }
  | { readonly action: 'delete'; readonly propagation: 'Foreground' | 'Background' | 'Orphan' }
  /** Some owners are gone or about to go; others stay, and so does the object. */
  | { readonly action: 'dropOwners'; readonly uids: readonly string[] }
  | { readonly action: 'removeFinalizer'; readonly finalizer: string }
  /** The dependents are to be kept: first they lose their owner reference, then it may go. */
  | { readonly action: 'orphanDependents'; readonly dependents: readonly GraphNode[] }

/** What the garbage collector does about one object. */
export function decideCollection({ item, dependents, owners }: CollectionSnapshot): CollectionDecision {
  if (item.isBeingDeleted) {
    if (item.finalizers.includes(orphanFinalizer)) return { action: 'orphanDependents', dependents }
    if (!item.finalizers.includes(foregroundFinalizer)) return { action: 'nothing' }
    return dependents.some((dependent) => blocks(dependent, item))
      ? { action: 'nothing' }
      : { action: 'removeFinalizer', finalizer: foregroundFinalizer }
  }
  if (owners.length === 0) return { action: 'nothing' }
  const going = owners.filter(({ state }) => state !== 'solid').map(({ reference }) => reference.uid)
  if (going.length === 0) return { action: 'nothing' }
  if (going.length < owners.length) return { action: 'dropOwners', uids: going }
  const waitedFor = owners.some(({ state }) => state === 'waiting')
  if (waitedFor && dependents.length > 0) return { action: 'delete', propagation: 'Foreground' }
  if (item.finalizers.includes(orphanFinalizer)) return { action: 'delete', propagation: 'Orphan' }
  if (item.finalizers.includes(foregroundFinalizer)) return { action: 'delete', propagation: 'Foreground' }
  return { action: 'delete', propagation: 'Background' }
}

function blocks(dependent: GraphNode, owner: GraphNode): boolean {
  return dependent.owners.some(
    ({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true,
  )
}

/** What the graph itself knows of an owner; undefined when the server has to be asked. */
export function knownState(owner: GraphNode | undefined, item: GraphNode): OwnerState | undefined {
  if (owner === undefined) return undefined
  // An owner in another namespace is none.
  if (owner.namespace !== undefined && owner.namespace !== item.namespace) return 'absent'
  return owner.isBeingDeleted && owner.finalizers.includes(foregroundFinalizer) ? 'waiting' : 'solid'
}
