import type { Clock, Logger, Manager, Random } from '@portcullis/kube'
import type { ClusterCaches } from './cluster-caches.ts'

/** What every controller of the sandbox is given: where to register, what is known of the cluster, the clock and randomness. */
export interface ControllerContext {
  readonly manager: Manager
  /** Shared, so that ten controllers cost one watch a kind. */
  readonly caches: ClusterCaches
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}
