import type { ServicePort, ServiceSpec } from 'kubernetes-types/core/v1'

/** What follows from the type of a Service and the few fields that it depends on. */

export function needsClusterIp({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName'
}

export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None'
}

export function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)
}

export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

/** Types whose ports may have node ports, asked for or given. */
export function mayHaveNodePorts({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer'
}

/** Types whose ports are given node ports. */
export function getsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
}

export function nodePortsOf({ ports = [] }: ServiceSpec): number[] {
  return ports.map(nodePortOf).filter((port) => port !== 0)
}

export function nodePortOf({ nodePort = 0 }: ServicePort): number {
  return nodePort
}
