import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Container, Node, Pod } from 'kubernetes-types/core/v1'
import { quantity } from '../quantity.ts'

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
  const room = quantity(allocatable['pods'])
  if (onNode.length + 1 > room) found.push({ reason: 'Too many pods', hopeless: room === 0 })
  for (const resource of counted) {
    const wanted = requested(pod, resource)
    if (wanted === 0) continue
    const total = quantity(allocatable[resource])
    const taken = onNode.reduce((sum, other) => sum + requested(other, resource), 0)
    if (wanted > total - taken) found.push({ reason: `Insufficient ${resource}`, hopeless: wanted > total })
  }
  return found
}

/** All containers together, or the greediest init container if that is more. */
function requested({ spec }: Cached<Pod>, resource: Resource): number {
  const of = (container: DeepReadonly<Container>) => quantity(container.resources?.requests?.[resource])
  const running = (spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0)
  const sidecars = (spec?.initContainers ?? [])
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .reduce((sum, container) => sum + of(container), 0)
  const starting = Math.max(0, ...(spec?.initContainers ?? []).map(of))
  return Math.max(running + sidecars, starting) + quantity(spec?.overhead?.[resource])
}
