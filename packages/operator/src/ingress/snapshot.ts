import type { Cached, Key } from '@portcullis/kube'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { Event, Node, Pod, Service } from 'kubernetes-types/core/v1'
import type { IngressClass } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import type { Infrastructure } from '../api/infrastructure.ts'
import type { IngressController } from '../api/ingress-controller.ts'
import type { ContestedField } from './contested-fields.ts'
import type { PlatformFinding } from './platforms/find-platform.ts'
import type { Settings } from './settings.ts'

/** Everything that one decision about one controller needs, as it was at one moment. It is never changed. */
export interface Snapshot {
  readonly now: Date
  readonly settings: Settings
  readonly controller: Cached<IngressController>
  /** The controllers beside it. */
  readonly others: readonly Cached<IngressController>[]
  readonly platform: PlatformFinding
  readonly infrastructure: Cached<Infrastructure> | undefined
  /** Whether routers have several nodes to run on. */
  readonly isSingleNode: boolean
  /** What stands under the names that this controller wants, ours or not. */
  readonly operands: Operands
  /** The routers. */
  readonly pods: readonly Cached<Pod>[]
  readonly nodes: readonly Cached<Node>[]
  /** Every pod of the cluster that takes ports of its node. */
  readonly hostPortPods: readonly Cached<Pod>[]
  /** Every Service of the cluster that takes a port on all nodes. */
  readonly nodePortServices: readonly Cached<Service>[]
  /** Ingresses whose address another manager keeps overwriting, with its name. */
  readonly contestedIngresses: ReadonlyMap<Key, string>
  /** The fields of the controller's operands that another manager keeps changing. */
  readonly contestedFields: readonly ContestedField[]
  /** Since when this process has observed each condition as it is; see `transitionKey`. */
  readonly conditionsObservedSince?: ReadonlyMap<string, Date>
  /** What the cloud reports about the Service of the load balancer. */
  readonly cloudEvents: readonly Cached<Event>[]
  /** What could not be carried out a moment ago, in words. */
  readonly problems: readonly string[]
}

export interface Operands {
  readonly deployment: Cached<Deployment> | undefined
  readonly loadBalancer: Cached<Service> | undefined
  readonly internalService: Cached<Service> | undefined
  readonly nodePortService: Cached<Service> | undefined
  readonly disruptionBudget: Cached<PodDisruptionBudget> | undefined
  readonly ingressClass: Cached<IngressClass> | undefined
}
