import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { applyMergePatch, isSameJson, type MergePatch } from '../objects/merge-patch.ts'
import type { KubeObject } from '../objects/objects.ts'
import { timestamp } from '../objects/time.ts'
import { managedFieldsAfter } from './ownership.ts'

/**
 * What an API server does to an object when it is written, without a server and whatever the kind: identity, generation,
 * finalizers, and who owns which field. Pure functions, which `SimulatedApiServer` puts together; versions are given by
 * the `Storage`. What is peculiar to a kind is for the callers to fill in, before or through `defaults`.
 */

/** Who writes, and when. */
export interface Writer {
  /** None where a part of the server writes: then no manager owns what it wrote. */
  readonly manager?: string | undefined
  readonly now: Date
}

/** Fills in what the server does where a field is left out. */
export type Defaults<T> = (object: T) => T

type StoredObject = KubeObject & { metadata: ObjectMeta }

/** What arrives at the server of an object or a patch: symbols and undefined are gone. */
export function asReceived<T>(sent: T): T {
  return JSON.parse(JSON.stringify(sent)) as T
}

export function createdObject<T extends StoredObject>(
  object: T,
  uid: string,
  writer: Writer,
  defaults: Defaults<T> = asItIs,
): T {
  const { managedFields: _, ...metadata } = object.metadata
  const created = defaults({
    ...object,
    metadata: { generation: 1, creationTimestamp: timestamp(writer.now), ...metadata, uid },
  })
  return withOwners(undefined, created, writer)
}

/** The object after a merge patch; the very same one where that changes nothing. */
export function patchedObject<T extends StoredObject>(
  before: T,
  patch: MergePatch,
  writer: Writer,
  defaults: Defaults<T> = asItIs,
): T {
  const after = defaults(applyMergePatch(before, patch))
  if (isSameJson(before, after)) return before
  const generation = isSameJson(specOf(before), specOf(after))
    ? before.metadata.generation
    : (before.metadata.generation ?? 0) + 1
  const { uid } = before.metadata
  const metadata: ObjectMeta = {
    ...after.metadata,
    ...(uid !== undefined && { uid }),
    ...(generation !== undefined && { generation }),
  }
  return withOwners(before, { ...after, metadata }, writer)
}

/** The object as it waits for its finalizers; undefined where it is gone at once. */
export function deletedObject<T extends StoredObject>(object: T, now: Date): T | undefined {
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (finalizers.length === 0) return undefined
  if (deletionTimestamp !== undefined) return object
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: timestamp(now) } }
}

/** Whether a write took away the last thing that a deleted object waited for: then that write is the deletion. */
export function isFinalized({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0
}

function asItIs<T>(object: T): T {
  return object
}

function specOf(object: KubeObject): unknown {
  return (object as { readonly spec?: unknown }).spec
}

function withOwners<T extends StoredObject>(before: T | undefined, after: T, { manager, now }: Writer): T {
  if (manager === undefined) return after
  const managedFields = managedFieldsAfter(before, after, { manager, time: timestamp(now) })
  return { ...after, metadata: { ...after.metadata, managedFields } }
}
