import type { MergePatch } from './merge-patch.ts'

/**
 * A finalizer keeps an object that is being deleted from going away until its controller has cleaned up.
 *
 * `metadata.finalizers` is one list for all of them, and a merge patch replaces lists whole. So each patch carries
 * the resourceVersion of the object that it was made from: if another client wrote since, the server responds with
 * 409 and the caller reads the object again, instead of dropping another's finalizer.
 */
interface Finalizable {
  readonly metadata: {
    readonly resourceVersion: string
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
}

export interface FinalizersPatch {
  readonly type: 'merge'
  readonly body: MergePatch
}

export function isBeingDeleted(object: {
  readonly metadata?: { readonly deletionTimestamp?: string }
}): boolean {
  return object.metadata?.deletionTimestamp !== undefined
}

export function hasFinalizer(
  object: { readonly metadata?: { readonly finalizers?: readonly string[] } },
  name: string,
): boolean {
  return object.metadata?.finalizers?.includes(name) ?? false
}

/** Undefined when it is there, or when it is too late: the server takes no new ones once deletion has begun. */
export function addFinalizer(object: Finalizable, name: string): FinalizersPatch | undefined {
  if (hasFinalizer(object, name) || isBeingDeleted(object)) return undefined
  return finalizersPatch(object, [...(object.metadata.finalizers ?? []), name])
}

/** Undefined when it is not there. */
export function removeFinalizer(object: Finalizable, name: string): FinalizersPatch | undefined {
  if (!hasFinalizer(object, name)) return undefined
  return finalizersPatch(object, object.metadata.finalizers?.filter((other) => other !== name) ?? [])
}

function finalizersPatch(
  { metadata: { resourceVersion } }: Finalizable,
  finalizers: readonly string[],
): FinalizersPatch {
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers } } }
}
