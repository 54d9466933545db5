import type { Cached } from '@portcullis/kube'
import { keyOfObject } from '@portcullis/kube'
import type { Node, Service } from 'kubernetes-types/core/v1'
import type { Scope } from '../layout.ts'
import type { Forwarding, HealthCheck, LoadBalancer, LoadBalancerPort, Target } from './load-balancer.ts'

/** What the cloud itself knows of a load balancer, by the address in the Service's status. */
export interface LoadBalancerRecord {
  readonly scope: Scope
  readonly ips: readonly string[]
  readonly isClassic: boolean
}

/** How often load balancers ask their targets: faster than any cloud's, so that a test need not wait. */
export const healthCheckTiming: Omit<HealthCheck, 'port' | 'path'> = {
  intervalMs: 500,
  timeoutMs: 1_000,
  healthyAfter: 2,
  unhealthyAfter: 2,
}

const kubeProxyHealthPort = 10_256

/** The load balancer of a Service; undefined before the cloud has made it, and once it is gone. */
export function loadBalancerOf(
  service: Cached<Service>,
  record: LoadBalancerRecord | undefined,
  targets: readonly Target[],
): LoadBalancer | undefined {
  if (record === undefined || addressOf(service) === undefined) return undefined
  return {
    name: keyOfObject(service),
    scope: record.scope,
    ips: record.ips,
    ports: portsOf(service),
    targets,
    healthCheck: { ...healthCheckTiming, path: '/healthz', port: healthPortOf(service) },
    forwarding: forwardingOf(service, record),
    sourceRanges: service.spec?.loadBalancerSourceRanges ?? [],
  }
}

/** The host name or IP by which clients know it. */
export function addressOf({ status }: Cached<Service>): string | undefined {
  const [first] = status?.loadBalancer?.ingress ?? []
  return first?.hostname ?? first?.ip
}

/** The nodes that are not held back from load balancers, ready or not: that is for the health check to find. */
export function targetsAmong(nodes: Iterable<Cached<Node>>): readonly Target[] {
  return [...nodes]
    .filter(
      ({ metadata }) =>
        metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers'] === undefined,
    )
    .flatMap(({ metadata, status }) => {
      const ips = (status?.addresses ?? [])
        .filter(({ type }) => type === 'InternalIP')
        .map(({ address }) => address)
      const ipv4 = ips.find((ip) => !ip.includes(':'))
      const ipv6 = ips.find((ip) => ip.includes(':'))
      return ipv4 === undefined || ipv6 === undefined ? [] : [{ node: metadata.name, ipv4, ipv6 }]
    })
    .sort((a, b) => a.node.localeCompare(b.node))
}

function portsOf({ spec }: Cached<Service>): readonly LoadBalancerPort[] {
  return (spec?.ports ?? []).flatMap(({ protocol, port, nodePort }) =>
    nodePort === undefined || (protocol !== 'TCP' && protocol !== 'UDP')
      ? []
      : [{ protocol, port, targetPort: nodePort }],
  )
}

/** With the policy `Local` a node answers for the routers on it, else kube-proxy for the node. */
function healthPortOf({ spec }: Cached<Service>): number {
  return spec?.externalTrafficPolicy === 'Local' && spec.healthCheckNodePort !== undefined
    ? spec.healthCheckNodePort
    : kubeProxyHealthPort
}

function forwardingOf({ metadata }: Cached<Service>, { isClassic }: LoadBalancerRecord): Forwarding {
  const annotations = metadata.annotations ?? {}
  const features = annotations['service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features'] ?? ''
  if (isClassic && annotations['service.beta.kubernetes.io/aws-load-balancer-proxy-protocol'] === '*')
    return 'connection-with-proxy-header'
  if (features.split(',').includes('proxy-protocol')) return 'connection-with-proxy-header'
  return isClassic ? 'connection' : 'direct'
}
