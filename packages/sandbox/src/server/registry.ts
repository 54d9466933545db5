import type { Storage } from '@portcullis/kube'
import { isSameJson, timestamp } from '@portcullis/kube'
import { type AnyObject, cloneJson, validateCommonCreate, validateCommonUpdate } from '@portcullis/schema'
import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { withoutIdleTimestamps } from '../patch/apply/idle-timestamps.ts'
import type { JsonObject } from '../patch/json-value.ts'
import type { ClusterView, Resource } from '../resource.ts'
import { alreadyExists, conflict, forbidden, notFound, StatusError } from './api-status.ts'
import { aboutOf, collectionOf, keyOf } from './storage-key.ts'
import {
  refuseForeignNamespace,
  refuseInvalid,
  refuseMalformedVersion,
  refuseMissingNamespace,
  refuseStale,
  refuseSystemNamespace,
  refuseUnmetPreconditions,
  uidMismatch,
} from './write-refusals.ts'

/** Where and how something is written. */
export interface WriteTarget {
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly subresource: string | undefined
  readonly dryRun: boolean
  /** A whole object in a request means the object with its identity; a patch may only try to change that. */
  readonly isPatch?: boolean
  /** Adds to an object that has been checked what is not kept of it, but read with it. */
  readonly fillIn?: (object: AnyObject) => void
  /** Asked once the object is made: whether the server keeps it in another form than it reads it back in. */
  readonly isUnsettled?: () => boolean
  /** Brings `metadata.managedFields` up to date; gets the object before, if any. */
  readonly track: (object: AnyObject, old: AnyObject | undefined) => void
}

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly gracePeriodSeconds?: number
}

/** An object as it is now, and as it was before it was written; there was none if it is new. */
export interface WriteResult {
  readonly object: AnyObject
  readonly old: AnyObject | undefined
  /** What there was to warn of while it was checked. */
  readonly warnings: readonly string[]
}

/** What became of an object that was to be deleted: it is gone, or it waits for its finalizers or its grace to end. */
export interface Deletion {
  readonly object: AnyObject
  readonly isGone: boolean
}

const generatedSuffixLength = 5
/** No vowels, so that no words arise; nothing that looks like something else. */
const suffixCharacters = 'bcdfghjklmnpqrstvwxz2456789'
const longestGeneratedBase = 63 - generatedSuffixLength

/**
 * Carries out writes as the API server does for every kind alike: names, identities, versions, generations,
 * finalizers, grace. What is peculiar to a kind is in its `Behaviour`.
 */
export class Registry {
  readonly #storage: Storage
  readonly #cluster: ClusterView
  readonly #newUid: () => string
  /** Kept in another form than they are read in: the next write of these is one even if it changes nothing. */
  readonly #unsettled = new WeakSet<AnyObject>()

  constructor({
    storage,
    cluster,
    newUid,
  }: { storage: Storage; cluster: ClusterView; newUid: () => string }) {
    this.#storage = storage
    this.#cluster = cluster
    this.#newUid = newUid
  }

  get({ resource, namespace }: Pick<WriteTarget, 'resource' | 'namespace'>, name: string): AnyObject {
    const object = this.#storage.get(collectionOf(resource), keyOf(namespace, name))
    if (object === undefined) throw notFound(aboutOf(resource), name)
    return object
  }

  create(target: WriteTarget, object: AnyObject): AnyObject {
    const { resource, namespace, dryRun } = target
    const { behaviour } = resource
    const cluster = this.#clusterFor(target)
    refuseForeignNamespace(object, namespace)
    refuseMissingNamespace(target, object, this.#storage)
    // What is the server's alone counts as not written; the owner of the rest is recorded before it adds anything of its own.
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const)
      delete object.metadata[field]
    target.track(object, undefined)
    this.#giveIdentity(object, target)
    if (hasStatus(resource) && !behaviour.keepsStatusOnCreate) delete object['status']
    const refusal = behaviour.refusal?.(object)
    if (refusal !== undefined) throw forbidden(aboutOf(resource), object.metadata.name ?? '', refusal)
    behaviour.prepareCreate?.(object, cluster)
    if (keepsGeneration(resource)) object.metadata.generation = 1
    refuseInvalid(resource, object, behaviour.validate?.(object, cluster) ?? [])
    // Only what has passed its own kind's checks, whose words are clearer, comes to those that hold for all.
    refuseInvalid(resource, object, validateCommonCreate(object, resource.namespaced))
    if (object.metadata.resourceVersion && !dryRun)
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
    const { name = '' } = object.metadata
    const key = keyOf(namespace, name)
    const present = this.#storage.get(collectionOf(resource), key)
    if (present !== undefined) {
      const refusal = alreadyExists(aboutOf(resource), name, present.metadata.deletionTimestamp !== undefined)
      refusal.warnings = behaviour.warnings?.(object, undefined) ?? []
      throw refusal
    }
    return dryRun ? withoutVersion(object) : this.#put(target, key, object, isUnsettled(target, object))
  }

  #put({ resource }: WriteTarget, key: string, object: AnyObject, isUnsettled: boolean): AnyObject {
    const stored = this.#storage.put(collectionOf(resource), key, object)
    if (isUnsettled) this.#unsettled.add(stored)
    return stored
  }

  /** @param change makes the new object from a copy of the present one; undefined where there is none and it may be created */
  update(
    target: WriteTarget,
    name: string,
    change: (old: AnyObject) => AnyObject,
    onMissing?: () => AnyObject,
  ): WriteResult {
    const { resource, namespace, dryRun } = target
    const collection = collectionOf(resource)
    const key = keyOf(namespace, name)
    const old = this.#storage.get(collection, key)
    if (old === undefined) {
      if (onMissing === undefined) throw notFound(aboutOf(resource), name)
      const object = onMissing()
      const { uid } = object.metadata
      refuseForeignNamespace(object, namespace)
      if (uid) throw conflict(aboutOf(resource), name, uidMismatch(resource, { name, namespace }, uid))
      refuseMalformedVersion(object)
      return { object: this.create(target, object), old: undefined, warnings: [] }
    }
    const changed = change(cloneJson(old))
    refuseForeignNamespace(changed, namespace)
    target.track(changed, old)
    refuseStale(target, changed, old, name)
    const warnings = this.#prepareUpdate(target, changed, old)
    target.fillIn?.(changed)
    const object = withoutIdleTimestamps(
      old as JsonObject,
      changed as unknown as JsonObject,
    ) as unknown as AnyObject
    const isUnchanged = isSameJson(withoutVersion(object), withoutVersion(old))
    const isKeptOtherwise = isUnsettled(target, changed)
    if (isUnchanged && !isKeptOtherwise && !this.#unsettled.has(old)) return { object: old, old, warnings }
    if (dryRun) return { object: atVersionOf(object, old), old, warnings }
    if (isReadyToGo(object) && !waitsForSpec(resource, object)) {
      // The last finalizer is gone: this write is the deletion.
      this.#storage.remove(collection, key)
      return { object: atVersionOf(object, old), old, warnings }
    }
    return { object: this.#put(target, key, object, isKeptOtherwise), old, warnings }
  }

  /** A change by the server itself, to whatever part of an object: nothing is checked. */
  amend(
    target: Pick<WriteTarget, 'resource' | 'namespace'>,
    name: string,
    change: (old: AnyObject) => AnyObject,
  ): AnyObject {
    const old = this.get(target, name)
    const object = change(old)
    const [collection, key] = [collectionOf(target.resource), keyOf(target.namespace, name)]
    if (isSameJson(object, old)) return old
    if (isReadyToGo(object) && !waitsForSpec(target.resource, object))
      return this.#storage.remove(collection, key) ?? object
    return this.#storage.put(collection, key, object)
  }

  delete(target: Omit<WriteTarget, 'subresource' | 'track'>, name: string, options: DeleteOptions): Deletion {
    const { resource, namespace, dryRun } = target
    const collection = collectionOf(resource)
    const key = keyOf(namespace, name)
    const old = this.get(target, name)
    refuseUnmetPreconditions(resource, old, options)
    if (resource.group === '' && resource.plural === 'namespaces') refuseSystemNamespace(resource, name)
    const object = this.#markedForDeletion(resource, old, options)
    if (object === undefined) {
      if (dryRun) return { object: old, isGone: true }
      return { object: this.#storage.remove(collection, key) ?? old, isGone: true }
    }
    if (dryRun || (isSameJson(object, old) && !this.#unsettled.has(old))) return { object, isGone: false }
    return { object: this.#storage.put(collection, key, object), isGone: false }
  }

  /** The object as it waits for its end; undefined if it need not wait. */
  #markedForDeletion(resource: Resource, old: AnyObject, options: DeleteOptions): AnyObject | undefined {
    if (resource.behaviour.markForDeletion !== undefined) {
      return resource.behaviour.markForDeletion(old, timestamp(this.#cluster.now()))
    }
    const finalizers = finalizersFor(old.metadata.finalizers ?? [], policyFor(resource, options))
    // Only what knows of grace is given any.
    const usual = resource.behaviour.gracePeriodSeconds?.(old)
    const grace = usual === undefined ? 0 : (options.gracePeriodSeconds ?? usual)
    const remaining = Math.min(grace, old.metadata.deletionGracePeriodSeconds ?? grace)
    const isHeldBySpec = waitsForSpec(resource, old)
    if (finalizers.length === 0 && remaining === 0 && !isHeldBySpec) return undefined
    const isMarked = old.metadata.deletionTimestamp !== undefined
    const isShortened = isMarked && remaining < (old.metadata.deletionGracePeriodSeconds ?? 0)
    const end = new Date(this.#cluster.now().getTime() + remaining * 1000)
    const metadata: ObjectMeta = {
      ...old.metadata,
      ...(finalizers.length > 0 ? { finalizers } : {}),
      ...((!isMarked || isShortened) && {
        deletionTimestamp: timestamp(end),
        deletionGracePeriodSeconds: remaining,
      }),
      ...(!isMarked && old.metadata.generation !== undefined && { generation: old.metadata.generation + 1 }),
    }
    if (finalizers.length === 0) delete metadata.finalizers
    const object = { ...old, metadata }
    return isHeldBySpec && !isMarked
      ? { ...object, status: { ...(old['status'] as object), phase: 'Terminating' } }
      : object
  }

  #clusterFor({ dryRun }: WriteTarget): ClusterView {
    return dryRun ? { ...this.#cluster, isDryRun: true } : this.#cluster
  }

  /** @returns what there is to warn of */
  #prepareUpdate(target: WriteTarget, object: AnyObject, old: AnyObject): readonly string[] {
    const { resource, subresource } = target
    const { behaviour } = resource
    const cluster = this.#clusterFor(target)
    keepIdentity(object, old)
    object.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
    if (subresource === 'status') {
      keepAllBut('status', object, old)
      if (resource.isCustom) keepMetadata(object, old)
      behaviour.prepareStatusUpdate?.(object, old, cluster)
      const errors = [
        ...validateCommonUpdate(object, old, resource.namespaced),
        ...(behaviour.validateStatusUpdate?.(object, old, cluster) ?? []),
      ]
      refuseInvalid(resource, object, errors, behaviour.forgiven?.(object))
      return behaviour.forgiven?.(object) ?? []
    }
    if (hasStatus(resource)) restore('status', object, old)
    behaviour.prepareUpdate?.(object, old, cluster)
    if (keepsGeneration(resource)) object.metadata.generation = generationOf(resource, object, old)
    refuseInvalid(resource, object, behaviour.validateUpdateFirst?.(object, old, cluster) ?? [])
    const errors = [
      ...validateCommonUpdate(object, old, resource.namespaced),
      ...(behaviour.validateUpdate?.(object, old, cluster) ?? []),
    ]
    refuseInvalid(resource, object, errors, behaviour.forgiven?.(object))
    return behaviour.forgiven?.(object) ?? []
  }

  #giveIdentity(object: AnyObject, { namespace }: WriteTarget): void {
    const { metadata } = object
    if (!metadata.name && metadata.generateName) metadata.name = this.#generatedName(metadata.generateName)
    if (namespace !== undefined) metadata.namespace = namespace
    metadata.uid = this.#newUid()
    metadata.creationTimestamp = timestamp(this.#cluster.now())
  }

  #generatedName(base: string): string {
    const random = () => suffixCharacters[Math.floor(this.#cluster.random() * suffixCharacters.length)] ?? ''
    const suffix = Array.from({ length: generatedSuffixLength }, random).join('')
    return base.slice(0, longestGeneratedBase) + suffix
  }
}

/** The garbage collector leaves Events alone, so that none waits for it. */
function policyFor({ plural }: Resource, { propagationPolicy }: DeleteOptions) {
  return plural === 'events' ? 'Background' : propagationPolicy
}

const hasStatus = ({ subresources }: Resource) => subresources.includes('status')
const isNamespace = ({ group, plural }: Resource) => group === '' && plural === 'namespaces'

/** A namespace is held by finalizers in its spec too. */
function waitsForSpec(resource: Resource, { spec }: AnyObject): boolean {
  return (
    isNamespace(resource) && ((spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0
  )
}

function isUnsettled({ resource, isUnsettled }: WriteTarget, object: AnyObject): boolean {
  return (isUnsettled?.() ?? false) || resource.behaviour.asKept?.(object) !== undefined
}

function keepsGeneration({ behaviour, schema }: Resource): boolean {
  return behaviour.keepsGeneration ?? schema.properties?.['spec'] !== undefined
}

/** What no write can change. */
function keepIdentity(object: AnyObject, { metadata: old }: AnyObject): void {
  const { metadata } = object
  const put = (field: keyof ObjectMeta) => {
    if (old[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: old[field] })
  }
  for (const field of ['creationTimestamp', 'namespace', 'name', 'generation', 'selfLink'] as const)
    put(field)
  // A client that tries to change these gets an error.
  if (!metadata.uid) put('uid')
  if (old.deletionTimestamp !== undefined) put('deletionTimestamp')
  if (metadata.deletionGracePeriodSeconds === undefined) put('deletionGracePeriodSeconds')
}

/** A copy, as preparing the object may change any part of it. */
function restore(field: string, object: AnyObject, old: AnyObject): void {
  if (old[field] === undefined) delete object[field]
  else object[field] = cloneJson(old[field])
}

/** For a write of one part alone: labels and annotations may come with a status, everything else is as it was. */
function keepAllBut(part: string, object: AnyObject, old: AnyObject): void {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== part && field !== 'metadata') restore(field, object, old)
  }
}

/** With the status of a custom resource not even labels come. */
function keepMetadata(object: AnyObject, old: AnyObject): void {
  const { managedFields } = object.metadata
  const { managedFields: _, ...metadata } = old.metadata
  object.metadata = { ...metadata, ...(managedFields && { managedFields }) }
}

/** Counts changes of everything but metadata and status. */
function generationOf({ behaviour }: Resource, object: AnyObject, old: AnyObject): number {
  const before = old.metadata.generation ?? 0
  if (behaviour.newGeneration !== undefined) return behaviour.newGeneration(object, old) ? before + 1 : before
  const { metadata: _, status: __, ...wanted } = object
  const { metadata: ___, status: ____, ...present } = old
  return isSameJson(wanted, present) ? before : before + 1
}

function finalizersFor(present: readonly string[], policy: DeleteOptions['propagationPolicy']): string[] {
  const others = present.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan')
  const own = policy === 'Foreground' ? 'foregroundDeletion' : policy === 'Orphan' ? 'orphan' : undefined
  if (own !== undefined) {
    // Where it is there already, and the other one is not, all stays in its place.
    const isThere = present.includes(own) && new Set(present).size === new Set(others).size + 1
    return isThere ? [...present] : [...others, own]
  }
  return policy === 'Background' ? others : [...present]
}

function isReadyToGo({ metadata }: AnyObject): boolean {
  const isMarked =
    metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0
  return isMarked && (metadata.finalizers ?? []).length === 0
}

/** An object that was not stored: it shows the version that it would have replaced. */
function atVersionOf(object: AnyObject, old: AnyObject): AnyObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: old.metadata.resourceVersion ?? '' } }
}

function withoutVersion(object: AnyObject): AnyObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
