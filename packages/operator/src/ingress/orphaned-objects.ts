import { isBeingDeleted, type Key, keyOf, type Logger, refOf } from '@portcullis/kube'
import { isOperandOf } from './apply-actions.ts'
import { operandsOf } from './clean-up.ts'
import { Commands } from './commands.ts'
import type { OperandRef } from './decision.ts'
import type { IngressMetrics } from './metrics.ts'
import type { Settings } from './settings.ts'
import { type Caches, cacheOf } from './watched-kinds.ts'

/**
 * Reports what deleted IngressControllers have left in the cluster. A controller whose finalizer a user removed is deleted
 * without a clean-up, and its load balancer may cost money. There is no spec any more that could consent to the deletion of
 * what is left, so a person must delete it.
 */
export class OrphanedObjects {
  readonly #caches: Caches
  readonly #settings: Settings
  readonly #metrics: Pick<IngressMetrics, 'reportOrphaned'>
  /** What was logged of each deleted controller: it is logged once. */
  readonly #logged = new Map<Key, string>()

  constructor(caches: Caches, settings: Settings, metrics: Pick<IngressMetrics, 'reportOrphaned'>) {
    this.#caches = caches
    this.#settings = settings
    this.#metrics = metrics
  }

  /** @param key of a controller that does not exist */
  report(key: Key, log: Logger): void {
    const orphaned = this.#of(key)
    this.#metrics.reportOrphaned(key, orphaned.length)
    const names = orphaned.map(({ kind, ref }) => `${kind.kind} ${keyOf(ref)}`).join(', ')
    if (orphaned.length === 0) this.#logged.delete(key)
    if (orphaned.length === 0 || this.#logged.get(key) === names) return
    this.#logged.set(key, names)
    const command = new Commands(this.#settings).deleteOperands(orphaned)
    log.warn(
      { objects: orphaned.length },
      `IngressController ${key} does not exist, but its objects do: ${names}. They are not managed any more and may cost money. To delete them: \`${command}\``,
    )
  }

  /** The controller exists (again). */
  forget(key: Key): void {
    this.#logged.delete(key)
  }

  #of(key: Key): OperandRef[] {
    const controller = { metadata: refOf(key) }
    return operandsOf(controller.metadata.name, this.#settings).filter(({ kind, ref }) => {
      const object = cacheOf(kind, this.#caches).get(keyOf(ref))
      return object !== undefined && !isBeingDeleted(object) && isOperandOf(controller, kind, object)
    })
  }
}
