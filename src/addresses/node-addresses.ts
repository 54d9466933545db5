import type { Node, Pod } from 'kubernetes-types/core/v1'
import { isTrue } from '../kube/conditions.ts'
import { isBeingDeleted } from '../kube/finalizers.ts'
import type { Stored } from '../kube/store.ts'
import { type Address, inOrder } from './address.ts'

/** The nodes on which a router is ready: by all external addresses that they have, else by all internal ones. */
export function nodeAddresses(
  nodes: readonly Stored<Node>[],
  routers: readonly Stored<Pod>[],
  ports: readonly number[],
): readonly Address[] {
  const ready = new Set(
    routers
      .filter((pod) => isTrue(pod.status?.conditions, 'Ready') && !isBeingDeleted(pod))
      .map(({ spec }) => spec?.nodeName),
  )
  const told = ports.map((port) => ({ port, protocol: 'TCP' }))
  return inOrder(
    nodes
      .filter(({ metadata }) => ready.has(metadata.name))
      .flatMap(({ status }) => {
        const of = (type: string) =>
          (status?.addresses ?? []).filter((address) => address.type === type).map(({ address }) => address)
        const external = of('ExternalIP')
        return external.length > 0 ? external : of('InternalIP')
      })
      .map((ip) => ({ ip, ...(told.length > 0 && { ports: told }) })),
  )
}
