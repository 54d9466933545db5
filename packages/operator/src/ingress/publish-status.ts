import { keyOfObject } from '@portcullis/kube'
import type { AddressBook } from '../addresses/address-book.ts'
import { shardOf } from '../addresses/shard.ts'
import { type ApplyContext, OutdatedError, patchStatus } from './apply-actions.ts'
import { unplacedRouters } from './conditions/pods.ts'
import type { Decision, Status } from './decision.ts'
import { IngressController } from './kinds.ts'
import type { IngressMetrics } from './metrics.ts'
import type { ObservedConditions } from './observed-conditions.ts'
import type { OwnStatusUpdates } from './own-status-updates.ts'
import type { Snapshot } from './snapshot.ts'

/** Where a decision is published beside the status itself. */
export interface StatusReaders {
  readonly metrics: IngressMetrics
  readonly book: AddressBook
  readonly ownStatusUpdates: OwnStatusUpdates
  readonly observedConditions: ObservedConditions
}

/** Patches the status, passes it to the address writer and the metrics, and records the Events that go with it. */
export async function publishStatus(
  snapshot: Snapshot,
  { status, addresses, events, contested }: Decision,
  context: ApplyContext,
  { metrics, book, ownStatusUpdates, observedConditions }: StatusReaders,
): Promise<void> {
  const { controller } = snapshot
  if (status !== undefined) {
    await patchOwnStatus(controller, status, context, ownStatusUpdates)
    observedConditions.note(keyOfObject(controller), status.conditions)
    const shard = shardOf(status)
    book.set(controller.metadata.name, { addresses, ...(shard && { shard }) })
    metrics.report(keyOfObject(controller), status, {
      unplaced: unplacedRouters(snapshot).length,
      contested: contested.length,
    })
  }
  for (const event of events) context.events.record(controller, event)
}

/** The watch event of the update does not enqueue the controller again, unless the update fails. */
async function patchOwnStatus(
  controller: Snapshot['controller'],
  status: Status,
  context: ApplyContext,
  ownStatusUpdates: OwnStatusUpdates,
): Promise<void> {
  ownStatusUpdates.expect(controller, status)
  try {
    await patchStatus(controller, status, context)
  } catch (error) {
    ownStatusUpdates.cancel(controller)
    const key = keyOfObject(controller)
    const isInCache = context.cacheOf(IngressController, controller).get(key) !== controller
    // Only the answer was lost, and the update is in the cache: the next reconcile need not wait as after a failure.
    throw isInCache ? new OutdatedError(`IngressController ${key} has been written since`) : error
  }
}
