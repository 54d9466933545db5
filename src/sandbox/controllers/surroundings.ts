import type { Random } from '../../kube/backoff.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Logger } from '../../kube/log.ts'
import type { Runtime } from '../../kube/runtime.ts'
import type { ClusterStores } from './cluster-stores.ts'

/** What every controller of the sandbox is given: where to register, what is known of the cluster, time and chance. */
export interface Surroundings {
  readonly runtime: Runtime
  /** Shared, so that ten controllers cost one watch a kind. */
  readonly stores: ClusterStores
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}
