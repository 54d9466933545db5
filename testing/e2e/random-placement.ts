import type { Cached } from '@portcullis/kube'
import { eligibleNodes } from '@portcullis/operator/internal/ingress/placement/eligible-nodes.ts'
import { hostPortsOf } from '@portcullis/operator/internal/ingress/placement/host-ports.ts'
import { heldByOthers } from '@portcullis/operator/internal/ingress/placement/port-holders.ts'
import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  subarray,
} from 'fast-check'
import type { Node, Pod, Taint, Toleration } from 'kubernetes-types/core/v1'

/** Nodes, pods of others on them, and controllers that come one after the other. */
export interface Scenario {
  readonly nodes: readonly NodeDraft[]
  readonly pods: readonly PodDraft[]
  readonly controllers: readonly ControllerDraft[]
}

export interface NodeDraft {
  readonly labels: Readonly<Record<string, string>>
  readonly taints: Taint[]
  readonly unschedulable: boolean
}

export interface PodDraft {
  /** By its place in the list. */
  readonly node: number
  readonly port: number
  readonly protocol: 'TCP' | 'UDP'
  readonly hostIP: string | undefined
}

export interface ControllerDraft {
  readonly replicas: number
  readonly hostNetwork: { readonly httpPort: number; readonly httpsPort: number; readonly statsPort: number }
  readonly labels: Readonly<Record<string, string>>
  readonly tolerations: Toleration[]
}

const pool = constantFrom<Record<string, string>>({}, { pool: 'a' }, { pool: 'b' }, { pool: 'a', disk: '' })

const taints = subarray<Taint>([
  { key: 'dedicated', value: 'x', effect: 'NoSchedule' },
  { key: 'busy', effect: 'NoExecute' },
  { key: 'soft', effect: 'PreferNoSchedule' },
])

const tolerations = subarray<Toleration>([
  { key: 'dedicated', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
  { key: 'dedicated', operator: 'Equal', value: 'y' },
  { key: 'busy', operator: 'Exists' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
])

const aNode: Arbitrary<NodeDraft> = record({
  labels: pool,
  taints: oneof({ weight: 2, arbitrary: constant<Taint[]>([]) }, taints),
  unschedulable: oneof({ weight: 5, arbitrary: constant(false) }, constant(true)),
})

const aPod: Arbitrary<PodDraft> = record({
  node: nat(),
  port: constantFrom(80, 443, 1936, 8080, 9000),
  protocol: constantFrom('TCP', 'TCP', 'TCP', 'UDP'),
  hostIP: constantFrom(undefined, undefined, '127.0.0.1'),
})

const aController: Arbitrary<ControllerDraft> = record({
  replicas: integer({ min: 1, max: 3 }),
  hostNetwork: record({
    httpPort: constantFrom(80, 8080),
    httpsPort: constantFrom(443, 8443),
    statsPort: constantFrom(1936, 9000),
  }),
  labels: oneof({ weight: 3, arbitrary: constant({}) }, pool),
  tolerations: oneof({ weight: 2, arbitrary: constant<Toleration[]>([]) }, tolerations),
})

export const aScenario: Arbitrary<Scenario> = record({
  nodes: array(aNode, { minLength: 1, maxLength: 4 }),
  pods: array(aPod, { maxLength: 3 }),
  controllers: array(aController, { minLength: 1, maxLength: 3 }),
})

export interface Prediction {
  /** How many routers find a node. */
  readonly placed: number
  /** What is said of the others. */
  readonly cause: 'AllScheduled' | 'PortConflict' | 'TooFewNodes' | 'Unschedulable'
}

/** What becomes of a controller's routers, before any of them is there. */
export function predict(
  { replicas, hostNetwork, labels, tolerations }: ControllerDraft,
  nodes: readonly Cached<Node>[],
  pods: readonly Cached<Pod>[],
): Prediction {
  const ports = hostPortsOf({ type: 'HostNetwork', hostNetwork })
  const eligible = eligibleNodes(nodes, { nodeSelector: labels, tolerations })
  const held = eligible.filter((node) => heldByOthers(node, ports, pods, 'itself').length > 0)
  const placed = Math.min(replicas, eligible.length - held.length)
  if (placed === replicas) return { placed, cause: 'AllScheduled' }
  if (eligible.length === 0) return { placed, cause: 'Unschedulable' }
  return { placed, cause: held.length > 0 ? 'PortConflict' : 'TooFewNodes' }
}
