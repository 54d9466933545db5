import type { Cached, DeepReadonly } from '@portcullis/kube'
import { nanosOf } from '@portcullis/schema'
import type { Container, Node, Pod } from 'kubernetes-types/core/v1'

const counted = ['cpu', 'memory', 'ephemeral-storage'] as const
type Resource = (typeof counted)[number]

export interface Shortage {
  readonly reason: string
  /** Even an empty node would be too small. */
  readonly hopeless: boolean
}

/** What a node lacks for a pod, beside what is already on it. */
export function shortages(pod: Cached<Pod>, node: Cached<Node>, onNode: readonly Cached<Pod>[]): Shortage[] {
  const allocatable = node.status?.allocatable ?? {}
  const found: Shortage[] = []
  const room = nanosOf(allocatable['pods'])
  if (nanosOf(onNode.length + 1) > room) found.push({ reason: 'Too many pods', hopeless: room === 0n })
  for (const resource of counted) {
    const wanted = requested(pod, resource)
    if (wanted === 0n) continue
    const total = nanosOf(allocatable[resource])
    const taken = onNode.reduce((sum, other) => sum + requested(other, resource), 0n)
    if (wanted > total - taken) found.push({ reason: `Insufficient ${resource}`, hopeless: wanted > total })
  }
  return found
}

/** All containers together, or the greediest init container if that is more. */
function requested({ spec }: Cached<Pod>, resource: Resource): bigint {
  const of = (container: DeepReadonly<Container>) => nanosOf(container.resources?.requests?.[resource])
  const running = (spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0n)
  const sidecars = (spec?.initContainers ?? [])
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .reduce((sum, container) => sum + of(container), 0n)
  const starting = (spec?.initContainers ?? []).map(of)
  return [running + sidecars, ...starting].reduce(larger) + nanosOf(spec?.overhead?.[resource])
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
