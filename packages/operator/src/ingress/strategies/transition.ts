import { type Cached, isBeingDeleted, isSameJson, type KubeObject } from '@portcullis/kube'
import type { Deployment } from 'kubernetes-types/apps/v1'
import { ownerOf } from '../names.ts'
import { defaultHostPorts } from '../placement/host-ports.ts'
import type { Snapshot } from '../snapshot.ts'
import type { ObservedLoadBalancer } from './observed-load-balancer.ts'
import type { WantedStrategy } from './wanted-strategy.ts'

/**
 * From one strategy to another on a live controller: the old way in stays until the new one is ready, wherever both
 * can stand.
 */

/**
 * The strategy by which routers run: until the load balancer is there, they stay on the ports of their nodes, or go on
 * with the protocol in which requests come by node ports.
 */
export function strategyOfRouters(
  { operands, controller }: Pick<Snapshot, 'operands' | 'controller'>,
  strategy: WantedStrategy,
  observed: ObservedLoadBalancer | undefined,
): WantedStrategy {
  if (strategy.type !== 'LoadBalancerService' || isThere(observed)) return strategy
  const { deployment, nodePortService } = operands
  if (deployment === undefined) return strategy
  const hasNodePorts = nodePortService !== undefined && isOpen(nodePortService, controller)
  return hostNetworkOf(deployment) ?? (hasNodePorts ? nodePortsOf(deployment) : strategy)
}

function isOpen(service: Cached<KubeObject>, { metadata }: Snapshot['controller']): boolean {
  return ownerOf(service) === metadata.name && !isBeingDeleted(service)
}

/** One that is being deleted has its address until it is gone. */
export function isThere(observed: ObservedLoadBalancer | undefined): boolean {
  return observed !== undefined && observed.addresses.length > 0 && !isBeingDeleted(observed.service)
}

/** As much of a Deployment as shows how its routers are reached. */
export type RouterTemplate = Pick<Cached<Deployment>, 'spec'>

/** Whether the routers of two Deployments listen on the same ports of their nodes, if any, and for the same protocol. */
export function listenAlike(one: RouterTemplate, other: RouterTemplate): boolean {
  return isSameJson(hostNetworkOf(one), hostNetworkOf(other)) && protocolOf(one) === protocolOf(other)
}

/** Whether routers that listen on ports of their nodes move to others, or leave them. */
export function movesHostPorts(live: object, wanted: object): boolean {
  const before = hostNetworkOf(live)
  return before !== undefined && !isSameJson(before, hostNetworkOf(wanted))
}

/** How the routers of a Deployment use the ports of their nodes, if they do. */
function hostNetworkOf(deployment: RouterTemplate | undefined): WantedStrategy | undefined {
  const pod = deployment?.spec?.template.spec
  if (pod?.hostNetwork !== true) return undefined
  const { ports = [] } = pod.containers[0] ?? {}
  const portNamed = (name: string, otherwise: number) =>
    ports.find((port) => port.name === name)?.containerPort ?? otherwise
  return {
    type: 'HostNetwork',
    hostNetwork: {
      httpPort: portNamed('http', defaultHostPorts.httpPort),
      httpsPort: portNamed('https', defaultHostPorts.httpsPort),
      statsPort: portNamed('metrics', defaultHostPorts.statsPort),
      protocol: protocolOf(deployment),
    },
  }
}

function nodePortsOf(deployment: Cached<Deployment>): WantedStrategy {
  return { type: 'NodePortService', nodePort: { protocol: protocolOf(deployment) } }
}

export function protocolOf(deployment: RouterTemplate | undefined): 'PROXY' | 'TCP' {
  const { env = [] } = deployment?.spec?.template.spec?.containers[0] ?? {}
  const isProxy = env.some(({ name, value }) => name === 'ROUTER_USE_PROXY_PROTOCOL' && value === 'true')
  return isProxy ? 'PROXY' : 'TCP'
}

/** Whether no router of an older template is left, and there is one that is available. */
export function isRolledOut({ metadata, spec, status }: Cached<Deployment>): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1) &&
    (status?.availableReplicas ?? 0) >= Math.min(1, spec?.replicas ?? 1) &&
    (status?.replicas ?? 0) <= (status?.updatedReplicas ?? 0)
  )
}
