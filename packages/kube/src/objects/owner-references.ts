import type { OwnerReference } from 'kubernetes-types/meta/v1'
import type { KubeObject } from './objects.ts'

/** What a reference needs to know of an owner. */
interface Owner {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid: string }
}

/** What is asked of an object that may have owners. */
interface Owned {
  readonly metadata?: { readonly ownerReferences?: readonly Readonly<OwnerReference>[] }
}

export interface OwnershipOptions {
  /** The one owner that manages the object; an object has at most one. */
  readonly controller?: boolean
  /**
   * Whether a foreground deletion of the owner waits for the object. Where the admission plugin
   * OwnerReferencesPermissionEnforcement is on (OpenShift), setting it needs permission to update the owner's
   * `finalizers` subresource.
   */
  readonly blockOwnerDeletion?: boolean
}

export function ownerReference(owner: Owner, options: OwnershipOptions = {}): OwnerReference {
  const { apiVersion, kind, metadata } = owner
  if (!apiVersion || !kind) {
    throw new TypeError(
      `${metadata.name} cannot be an owner: its apiVersion and kind are not set; set them before you refer to it.`,
    )
  }
  const { controller, blockOwnerDeletion } = options
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  }
}

/** By uid: an owner that was deleted and made again under its old name is another one. */
export function isOwnedBy(object: Owned, owner: { readonly metadata: { readonly uid: string } }): boolean {
  return ownersOf(object).some(({ uid }) => uid === owner.metadata.uid)
}

/** The owner that manages the object, if any. */
export function controllerOf(object: Owned): Readonly<OwnerReference> | undefined {
  return ownersOf(object).find(({ controller }) => controller === true)
}

/**
 * The object with this owner among its owners, as its controller by default. The identical object if
 * that is so already.
 *
 * Throws where the cluster would do harm rather than refuse: the garbage collector *deletes* objects whose owner
 * is in another namespace.
 */
export function withOwner<T extends KubeObject>(
  object: T,
  owner: Owner,
  options: OwnershipOptions = { controller: true },
): T {
  const reference = ownerReference(owner, options)
  refuseOwnerInOtherNamespace(object, owner)
  if (reference.controller) refuseSecondController(object, reference)

  const owners = ownersOf(object)
  const before = owners.find(({ uid }) => uid === reference.uid)
  const after = { ...before, ...reference }
  if (before !== undefined && isSame(before, after)) return object
  const ownerReferences =
    before === undefined ? [...owners, after] : owners.map((other) => (other === before ? after : other))
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

function ownersOf(object: Owned): readonly Readonly<OwnerReference>[] {
  return object.metadata?.ownerReferences ?? []
}

function refuseOwnerInOtherNamespace(object: KubeObject, owner: Owner): void {
  const { namespace, name } = owner.metadata
  if (namespace === undefined || namespace === object.metadata?.namespace) return
  const place = object.metadata?.namespace
    ? `is in namespace ${object.metadata.namespace}`
    : 'has no namespace'
  throw new Error(
    `${nameOf(object)} ${place} and cannot be owned by ${owner.kind} ${namespace}/${name}: the garbage collector would delete it. Put it into namespace ${namespace}, or choose a cluster-scoped owner.`,
  )
}

function refuseSecondController(object: KubeObject, reference: OwnerReference): void {
  const current = controllerOf(object)
  if (current === undefined || current.uid === reference.uid) return
  throw new Error(
    `${nameOf(object)} is already controlled by ${current.kind} ${current.name} (uid ${current.uid}), so ${reference.kind} ${reference.name} cannot control it too. Leave it alone, or have its controller give it up first.`,
  )
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind ?? 'Object'} ${metadata?.name ?? metadata?.generateName ?? 'without a name'}`
}

function isSame(before: Readonly<OwnerReference>, after: OwnerReference): boolean {
  return (Object.keys(after) as (keyof OwnerReference)[]).every((field) => before[field] === after[field])
}
