import { type Cached, type Change, isSameJson, type KubeObject } from '@portcullis/kube'
import type { IngressController } from '../api/ingress-controller.ts'
import type { Status } from './decision.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Recognises the watch event that our own status update causes, as `GenerationChangedPredicate` is used for elsewhere; that
 * one would also hide what others write to the status, to labels and to annotations, which decisions depend on.
 *
 * Production needs it for backoff: a write that fails is reported in the status, and if that report enqueued the controller,
 * the failed write would be repeated at once. Where the error reads differently each time (a port, a time, a request id) the
 * status would change each time as well, and the API server would be asked without a pause.
 *
 * It hides nothing: to decide again on the status just published comes to the same decision and records no event, which a
 * property test of `decide` holds for random histories (`decide.properties.test.ts`).
 */
export class OwnStatusUpdates {
  /** By the very object that is in the cache until the update replaces it. */
  readonly #published = new WeakMap<Snapshot['controller'], Status>()

  /** To be called before the update is sent: the watch may be faster than the answer. */
  expect(controller: Snapshot['controller'], status: Status): void {
    this.#published.set(controller, status)
  }

  /** The update failed, as far as is known: if it shows up all the same, that is a change like any other. */
  cancel(controller: Snapshot['controller']): void {
    this.#published.delete(controller)
  }

  /** Whether nothing has changed but the status, and that to what we published. */
  isOwnStatusUpdate(change: Change<Cached<IngressController>>): boolean {
    if (change.type !== 'updated') return false
    const status = this.#published.get(change.previous)
    return status !== undefined && !contentChanged({ ...change, previous: { ...change.previous, status } })
  }
}

/** Caches keep only what matters of most objects; what differs in nothing but its version has not changed. */
export function contentChanged<T extends Cached<KubeObject>>(change: Change<T>): boolean {
  if (change.type !== 'updated') return true
  const withoutVersion = ({ metadata, ...rest }: T) => ({
    ...rest,
    metadata: { ...metadata, resourceVersion: '', managedFields: [] },
  })
  return !isSameJson(withoutVersion(change.object), withoutVersion(change.previous))
}
