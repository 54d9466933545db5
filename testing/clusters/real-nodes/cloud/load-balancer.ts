import type { Scope } from '../layout.ts'

/** All that a load balancer does: plain data, which crosses to the process that does it. */
export interface LoadBalancer {
  /** `namespace/name` of its Service, or a name of its own. */
  readonly name: string
  readonly scope: Scope
  /** Its addresses, at most one of each family. */
  readonly ips: readonly string[]
  readonly ports: readonly LoadBalancerPort[]
  readonly targets: readonly Target[]
  readonly healthCheck: HealthCheck
  /**
   * `direct`: packets go to the target as they are, the client's address included, as with AWS' network load balancers.
   * `connection`: the target sees a connection of the load balancer's own, as with AWS' classic ones, and is told of the client by
   * a header of the PROXY protocol with `connection-with-proxy-header`.
   */
  readonly forwarding: Forwarding
  /** The clients it answers, as CIDRs; all where there are none. */
  readonly sourceRanges: readonly string[]
}

export type Forwarding = 'direct' | 'connection' | 'connection-with-proxy-header'

export interface LoadBalancerPort {
  readonly protocol: 'TCP' | 'UDP'
  readonly port: number
  /** On the targets. */
  readonly targetPort: number
}

export interface Target {
  readonly node: string
  readonly ipv4: string
  readonly ipv6: string
}

/** How it finds out which targets are to have traffic. */
export interface HealthCheck {
  /** Wants a connection, or an answer of 200 at this path. */
  readonly path?: string
  readonly port: number
  readonly intervalMs: number
  readonly timeoutMs: number
  /** So many in a row turn it. */
  readonly healthyAfter: number
  readonly unhealthyAfter: number
}

export type TargetState = 'initial' | 'healthy' | 'unhealthy'

/** By load balancer and node. */
export type Health = Readonly<Record<string, Readonly<Record<string, TargetState>>>>

/** What the load balancers' process is sent, whenever something changes. */
export interface WantedLoadBalancers {
  readonly version: number
  readonly loadBalancers: readonly LoadBalancer[]
}

/** What it sends back. */
export interface LoadBalancersReport {
  /** The newest that is in effect. */
  readonly version: number
  readonly health: Health
}
