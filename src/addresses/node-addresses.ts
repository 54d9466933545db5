import type { Node, Pod } from 'kubernetes-types/core/v1'
import { isTrue } from '../kube/conditions.ts'
import { isBeingDeleted } from '../kube/finalizers.ts'
import type { Stored } from '../kube/store.ts'
import { type Address, inOrder } from './address.ts'

/**
 * The nodes on which a router is ready: by all external addresses that they have, else by all internal ones.
 *
 * @param portsOf the ports on which the node of a router leads to it; none, and the router does not count
 */
export function nodeAddresses(
  nodes: readonly Stored<Node>[],
  routers: readonly Stored<Pod>[],
  portsOf: (router: Stored<Pod>) => readonly number[],
): readonly Address[] {
  const ready = routers.filter((pod) => isTrue(pod.status?.conditions, 'Ready') && !isBeingDeleted(pod))
  return inOrder(
    nodes.flatMap((node) => {
      const here = ready.filter(({ spec }) => spec?.nodeName === node.metadata.name)
      const ports = [...new Set(here.flatMap(portsOf))].map((port) => ({ port, protocol: 'TCP' }))
      return ports.length === 0 ? [] : addressesOf(node).map((ip) => ({ ip, ports }))
    }),
  )
}

function addressesOf({ status }: Stored<Node>): readonly string[] {
  const of = (type: string) =>
    (status?.addresses ?? []).filter((address) => address.type === type).map(({ address }) => address)
  const external = of('ExternalIP')
  return external.length > 0 ? external : of('InternalIP')
}
