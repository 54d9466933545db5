import type { Clock } from '../clock.ts'
import { type Key, type KubeObject, keyOf, type Persisted, refOf } from '../objects/objects.ts'
import type { Cached, CacheReader } from './cache.ts'

/** The longest that a cache may lag behind before we go on without it. */
const maxWaitMs = 5_000

/**
 * Waits until the cache shows what was just written, so that the next reconcile of the same key does not decide on
 * a stale state: without it a ReplicaSet would create its pods twice. This is what Kubernetes'
 * controllers keep "expectations" for.
 */
export function waitForCache<T extends KubeObject>(
  store: Pick<CacheReader<T, never>, 'get' | 'subscribe'>,
  written: Persisted,
  clock: Clock,
): Promise<void> {
  const wanted = versionOf(written)
  const { uid } = written.metadata
  const isLast = isLastWrite(written)
  return waitForObject(store, keyOf(written.metadata), clock, (object) => {
    if (object === undefined) return isLast
    return object.metadata.uid !== uid || (!isLast && versionOf(object) >= wanted)
  })
}

/**
 * Whether the object went with this write, which took the last finalizer away. The answer then has the version from
 * before, so that only the object's absence shows it; and that may be seen before the answer is.
 */
function isLastWrite({ metadata }: Persisted): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0
}

/** Waits until the object is gone, or the condition holds. */
export function waitForObject<T extends KubeObject>(
  store: Pick<CacheReader<T, never>, 'get' | 'subscribe'>,
  key: Key,
  clock: Clock,
  reached: (object: Cached<T> | undefined) => boolean,
): Promise<void> {
  if (reached(store.get(key))) return Promise.resolve()
  // Many may wait at once, and each is called for every change: no key is built just to be compared.
  const { namespace, name } = refOf(key)
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      unsubscribe()
      resolve()
    }
    const cancel = clock.after(maxWaitMs, end)
    const unsubscribe = store.subscribe(({ type, object }) => {
      const { metadata } = object
      if (metadata.name !== name || metadata.namespace !== namespace) return
      if (type === 'deleted' || reached(object)) end()
    })
  })
}

/** Resource versions of one kind can be compared, officially since Kubernetes 1.35. */
function versionOf({ metadata }: { readonly metadata: { readonly resourceVersion: string } }): bigint {
  return BigInt(metadata.resourceVersion)
}
