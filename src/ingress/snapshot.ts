import type { Deployment } from 'kubernetes-types/apps/v1'
import type { Event, Pod, Service, ServiceAccount } from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import type { IngressController } from '../api/ingress-controller.ts'
import type { Stored } from '../kube/store.ts'
import type { PlatformFinding } from './platforms/find-platform.ts'
import type { Settings } from './settings.ts'

/** Everything that one decision about one controller needs, as it was at one moment. Nobody changes it. */
export interface Snapshot {
  readonly now: Date
  readonly settings: Settings
  readonly controller: Stored<IngressController>
  /** The controllers beside it. */
  readonly others: readonly Stored<IngressController>[]
  readonly platform: PlatformFinding
  /** Whether routers have several nodes to run on. */
  readonly isSingleNode: boolean
  /** What stands under the names that this controller wants, ours or not. */
  readonly operands: Operands
  /** The routers. */
  readonly pods: readonly Stored<Pod>[]
  /** What the cloud says about the Service of the load balancer. */
  readonly cloudEvents: readonly Stored<Event>[]
  /** What could not be carried out a moment ago, in words. */
  readonly problems: readonly string[]
}

export interface Operands {
  readonly deployment: Stored<Deployment> | undefined
  readonly loadBalancer: Stored<Service> | undefined
  readonly internalService: Stored<Service> | undefined
  readonly disruptionBudget: Stored<PodDisruptionBudget> | undefined
  readonly serviceAccount: Stored<ServiceAccount> | undefined
}
