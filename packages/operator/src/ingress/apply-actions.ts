import {
  ApiError,
  type Cached,
  type CacheReader,
  type Clock,
  type EventRecorder,
  IngressClass,
  isNotFound,
  type Kind,
  type KubeApi,
  type KubeObject,
  keyOf,
  keyOfObject,
  mergePatchBetween,
  type ObjectRef,
  waitForCache,
  waitForObject,
} from '@portcullis/kube'
import type { IngressClass as IngressClassObject } from 'kubernetes-types/networking/v1'
import type { Action, OperandRef, Status } from './decision.ts'
import type { FieldConflicts } from './field-conflicts.ts'
import { IngressController } from './kinds.ts'
import { fieldManager, ownerOf } from './names.ts'
import { isClassOf } from './operands/ingress-class.ts'
import type { Snapshot } from './snapshot.ts'
import { type FailedWrite, idOf, type WriteBackoff } from './write-backoff.ts'

/** What it takes to write to the cluster. */
export interface ApplyContext {
  readonly client: Pick<KubeApi, 'get' | 'create' | 'patch' | 'delete'>
  readonly events: Pick<EventRecorder, 'record'>
  readonly signal: AbortSignal
  readonly clock: Clock
  /** The cache that shows objects of a kind. */
  readonly cacheOf: (kind: Kind, object: { readonly metadata: { readonly name: string } }) => ReadableCache
}

/** Strict field validation would cost the API server time and find nothing: the types leave no field to misspell. */
const writeOptions = { fieldManager, fieldValidation: 'Ignore' } as const

type ReadableCache = Pick<CacheReader<KubeObject, never>, 'get' | 'subscribe'>

/**
 * Applies one action, on condition that the object still is the one that was decided on, and waits until the cache shows
 * it: the next decision sees what was done.
 */
export async function applyAction(
  action: Action,
  controller: Snapshot['controller'],
  context: ApplyContext,
): Promise<void> {
  const { client, events, signal, clock, cacheOf } = context
  const options = { ...writeOptions, signal }
  const cache = cacheOf(action.kind, action.object)
  switch (action.do) {
    case 'create': {
      const created = await client.create(action.kind, action.object, options)
      await waitForCache(cache, created, clock)
      break
    }
    case 'update': {
      await refuseIfThere(action.onlyWithout, controller, context)
      const { namespace, name, uid, resourceVersion } = action.object.metadata
      const { metadata, ...rest } = action.patch as { metadata?: object }
      const body = { ...rest, metadata: { ...metadata, uid, resourceVersion } }
      const written = await client
        .patch(action.kind, { namespace, name }, { type: 'merge', body }, options)
        .catch(outdatedIfMissing)
      await waitForCache(cache, written, clock)
      break
    }
    case 'delete':
      if (action.consent.canBeWithdrawn) await refuseIfChanged(controller, context)
      await remove(action.kind, action.object, context)
      await waitForObject(cache, keyOf(action.object.metadata), clock, isGoing(action.object))
      break
  }
  if (action.event !== undefined) events.record(controller, action.event)
}

/**
 * Applies all actions but those that depend on one that fails.
 *
 * @returns what the API server refused or did not answer; anything else that goes wrong is thrown
 */
export async function applyActions(
  actions: readonly Action[],
  controller: Snapshot['controller'],
  context: ApplyContext,
  { fieldConflicts, writeBackoff }: { fieldConflicts: FieldConflicts; writeBackoff: WriteBackoff },
): Promise<readonly FailedWrite[]> {
  const key = keyOfObject(controller)
  const failed: FailedWrite[] = []
  const undone = new Set<string>()
  for (const action of actions) {
    if (action.dependsOn.some(({ kind, ref }) => undone.has(idOf({ kind, object: { metadata: ref } })))) {
      undone.add(idOf(action))
      continue
    }
    const error = await writeBackoff.attempt(key, action, () => applyAction(action, controller, context))
    if (error === undefined) {
      fieldConflicts.wrote(key, controller, action, context.clock.now())
      continue
    }
    failed.push(error)
    undone.add(idOf(action))
  }
  return failed
}

/** Things are not as they were when this was decided: it must be observed and decided again. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError'
}

/** The cache may lag behind: a user who has just reverted the change must not lose the load balancer for it. */
async function refuseIfChanged(
  { metadata }: Snapshot['controller'],
  { client, signal }: ApplyContext,
): Promise<void> {
  const { namespace, name, resourceVersion } = metadata
  const now = await client.get(IngressController, { namespace, name }, { signal })
  if (now.metadata.resourceVersion === resourceVersion) return
  throw new OutdatedError(`IngressController ${namespace}/${name} has changed since; nothing was deleted`)
}

/** The cache may lag behind what we have just created: without our finalizer that would be orphaned. */
async function refuseIfThere(
  operands: readonly OperandRef[],
  controller: Snapshot['controller'],
  { client, signal }: ApplyContext,
): Promise<void> {
  for (const { kind, ref } of operands) {
    const found = await client.get(kind, ref, { signal }).catch(undefinedIfMissing)
    if (found === undefined || !isOperandOf(controller, kind, found)) continue
    throw new OutdatedError(`The ${kind.kind} ${keyOf(ref)} is still there`)
  }
}

/** Whether an object under a name that a controller wants was made for it. */
export function isOperandOf(
  controller: { readonly metadata: ObjectRef },
  kind: Kind,
  object: Cached<KubeObject>,
): boolean {
  return kind === IngressClass
    ? isClassOf(controller, object as Cached<IngressClassObject>)
    : ownerOf(object) === controller.metadata.name
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

/** What the cache still shows may just have been deleted: that is no failure. */
function outdatedIfMissing(error: unknown): never {
  throw isNotFound(error) ? new OutdatedError((error as Error).message) : error
}

/** Only the very object that was decided on; one that is gone by now is as good as deleted. */
async function remove(
  kind: Kind,
  object: Cached<KubeObject>,
  { client, signal }: ApplyContext,
): Promise<void> {
  const { namespace, name, uid } = object.metadata
  try {
    await client.delete(
      kind,
      { namespace, name },
      { preconditions: { uid }, propagation: 'Background', noRetry: true, signal },
    )
  } catch (error) {
    if (isNotFound(error)) return
    if (!(error instanceof ApiError) || error.retryAfterMs === undefined) throw error
    throw new OutdatedError(`By the time the API server has time for it, it must be decided again`)
  }
}

function isGoing({
  metadata: { uid },
}: Cached<KubeObject>): (now: Cached<KubeObject> | undefined) => boolean {
  return (now) =>
    now === undefined || now.metadata.uid !== uid || now.metadata.deletionTimestamp !== undefined
}

/** Patches the status if it differs, and only what differs of it. */
export async function patchStatus(
  controller: Snapshot['controller'],
  status: Status,
  { client, signal, clock, cacheOf }: ApplyContext,
): Promise<void> {
  const change = mergePatchBetween(controller.status ?? {}, status)
  if (change === undefined) return
  const { namespace, name, uid, resourceVersion } = controller.metadata
  const body = { metadata: { uid, resourceVersion }, status: change }
  const options = { ...writeOptions, subresource: 'status', signal } as const
  const written = await client
    .patch(IngressController, { namespace, name }, { type: 'merge', body }, options)
    .catch(outdatedIfMissing)
  await waitForCache(cacheOf(IngressController, controller), written, clock)
}
