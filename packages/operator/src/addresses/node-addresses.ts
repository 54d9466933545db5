import { type Cached, type DeepReadonly, isBeingDeleted, isTrue } from '@portcullis/kube'
import type { Node, NodeAddress, Pod } from 'kubernetes-types/core/v1'
import { type Address, inOrder } from './address.ts'
import { isPublishableIp } from './publishable.ts'

/**
 * The nodes on which a router is ready: by all external addresses that they have, else by all internal ones.
 *
 * @param portsOf the ports on which the node of a router leads to it; none, and the router does not count
 */
export function nodeAddresses(
  nodes: readonly Cached<Node>[],
  routers: readonly Cached<Pod>[],
  portsOf: (router: Cached<Pod>) => readonly number[],
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

/** More than any node has; each stands in the status of every Ingress. */
const mostOfNode = 32

/**
 * What can be published of the addresses in the status of a node. A kubelet may write what it likes there, and the API
 * server takes a megabyte of blanks for an InternalIP, or an address with a zone as long as that.
 */
export function publishableAddresses({ status }: Pick<Cached<Node>, 'status'>): DeepReadonly<NodeAddress>[] {
  return (status?.addresses ?? [])
    .filter(
      ({ type, address }) => (type === 'ExternalIP' || type === 'InternalIP') && isPublishableIp(address),
    )
    .slice(0, mostOfNode)
}

function addressesOf(node: Cached<Node>): readonly string[] {
  const publishable = publishableAddresses(node)
  const of = (wanted: string) =>
    publishable.filter(({ type }) => type === wanted).map(({ address }) => address)
  const external = of('ExternalIP')
  return external.length > 0 ? external : of('InternalIP')
}
