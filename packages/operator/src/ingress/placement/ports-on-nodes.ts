import { type Cached, isBeingDeleted } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import { templateHashLabel } from '../names.ts'
import { placementOf } from '../operands/router-deployment.ts'
import type { Snapshot } from '../snapshot.ts'
import { eligibleNodes } from './eligible-nodes.ts'
import type { HostPort } from './host-ports.ts'
import { podsByNode } from './pods-by-node.ts'
import { type HeldPort, heldByOthers, hostPortsIn } from './port-holders.ts'

/** The use of the requested ports on one node that is eligible to run routers. */
export interface NodePorts {
  readonly node: string
  /** Taken by pods that are not routers of this controller. */
  readonly held: readonly HeldPort[]
  /** Whether a router of this controller has them, and is about to make room for its successor. */
  readonly ours: 'none' | 'running' | 'terminating'
}

/** One for each node that the scheduler would consider. */
export function portsOnNodes(snapshot: Snapshot, ports: readonly HostPort[]): readonly NodePorts[] {
  const { nodes, controller } = snapshot
  const others = podsByNode(snapshot.hostPortPods)
  const routers = podsByNode(snapshot.pods)
  return eligibleNodes(nodes, placementOf(snapshot)).map((node) => {
    const { name } = node.metadata
    return {
      node: name,
      held: heldByOthers(node, ports, others.get(name) ?? [], controller.metadata.name),
      ours: oursAmong(routers.get(name) ?? [], ports, snapshot),
    }
  })
}

function oursAmong(
  pods: readonly Cached<Pod>[],
  ports: readonly HostPort[],
  snapshot: Snapshot,
): NodePorts['ours'] {
  const wanted = new Set(ports.map(({ number }) => number))
  const there = pods.filter((pod) => hostPortsIn(pod).some((port) => wanted.has(port)))
  if (there.length === 0) return 'none'
  return there.every((pod) => isTerminating(pod, snapshot)) ? 'terminating' : 'running'
}

/**
 * A router that ends, or is about to: there are more than the Deployment wants, and this one is of an older kind. Other
 * routers of an older kind stay until their successors run, and so free no ports.
 */
function isTerminating(pod: Cached<Pod>, { pods, operands: { deployment } }: Snapshot): boolean {
  if (isBeingDeleted(pod)) return true
  const { replicas = 1 } = deployment?.spec ?? {}
  return isOlder(pod, deployment) && pods.filter((each) => !isBeingDeleted(each)).length > replicas
}

/** Whether a router has an older pod template than the Deployment. */
export function isOlder({ metadata }: Cached<Pod>, deployment: Snapshot['operands']['deployment']): boolean {
  const hash = metadata.labels?.[templateHashLabel]
  const newest = deployment?.spec?.template.metadata?.labels?.[templateHashLabel]
  return hash !== undefined && newest !== undefined && hash !== newest
}
