import type { Cached } from '@portcullis/kube'
import type { Node, Pod } from 'kubernetes-types/core/v1'
import { routerLabel } from '../names.ts'
import type { HostPort } from './host-ports.ts'

/** A port that is taken on a node, and the pod that has it. */
export interface HeldPort {
  readonly port: HostPort
  readonly node: string
  readonly holder: Cached<Pod>
}

/** Which of the ports are taken on a node by pods that are not routers of this controller. */
export function heldByOthers(
  { metadata: { name: node } }: Cached<Node>,
  ports: readonly HostPort[],
  pods: readonly Cached<Pod>[],
  controller: string,
): readonly HeldPort[] {
  const there = pods.filter(
    (pod) => pod.spec?.nodeName === node && !hasEnded(pod) && routersOf(pod) !== controller,
  )
  return ports.flatMap((port) => {
    const holder = there.find((pod) => hostPortsIn(pod).includes(port.number))
    return holder === undefined ? [] : [{ port, node, holder }]
  })
}

/** The TCP ports of its node that a pod takes; routers listen on every address, so it matters not on which. */
export function hostPortsIn({ spec }: Cached<Pod>): readonly number[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort && protocol === 'TCP' ? [hostPort] : [])),
  )
}

/** The controller whose router a pod is. */
export function routersOf({ metadata }: Cached<Pod>): string | undefined {
  return metadata.labels?.[routerLabel]
}

/** A completed pod uses no ports. */
export function hasEnded({ status }: Cached<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
