import type { ClusterName } from '../dns/cluster-names.ts'
import type { DnsAnswer } from '../dns/dns-answer.ts'
import type { ReceivedProbe } from '../fake-backends/received-probe.ts'
import type { HealthCheckName, MemberPorts, ServiceName } from '../load-balancer/services.ts'
import type { Attempt, AttemptResult } from '../probe/attempt.ts'

/** What is to be proved: that this load balancer and this DNS serve this cluster. */
export interface Target {
  readonly domain: string
  readonly apiVips: readonly string[]
  readonly ingressVips: readonly string[]
  readonly nodesAskOutside: boolean
  readonly controlPlane: readonly string[]
  /** Where routers run. */
  readonly routers: readonly string[]
  readonly bootstrap: string | undefined
  readonly frontPortOffset: number
  /** Of nodes. */
  readonly ports: MemberPorts
  /** Where we are: nodes may fetch their configuration, all others may not. */
  readonly vantage: Vantage
}

export type Vantage = 'node' | 'outside'

/** Everything that was observed: plain data, from which all results follow. */
export interface Observations {
  readonly target: Target
  readonly limits: Limits
  /** What is behind the load balancer: fake backends, the nodes of a cluster, or no known members. */
  readonly behind: 'fake-backends' | 'nodes' | 'nobody'
  readonly names: readonly ClusterName[]
  readonly answers: readonly DnsAnswer[]
  readonly members: readonly ObservedMember[]
  readonly frontEnds: readonly ObservedFrontEnd[]
  readonly byName: readonly ObservedByName[]
  readonly dials: readonly ObservedDial[]
  readonly idle: readonly ObservedIdle[]
  readonly flips: readonly ObservedFlip[]
  readonly cluster: ObservedCluster | undefined
}

export interface Limits {
  /** How long a member that is not ready may still be sent connections. */
  readonly dropMs: Readonly<Record<HealthCheckName, number>>
  readonly idleMs: number
}

export interface ObservedMember {
  readonly address: string
  /** Whether it names itself in every response, as fake backends do. */
  readonly saysWho: boolean
  /** By which it is known through a load balancer that leaves TLS alone. */
  readonly fingerprints: Readonly<Partial<Record<ServiceName, string>>>
  /** Where we could not see its certificate, past the load balancer, and what happened instead. */
  readonly unseen: readonly Unseen[]
  /** The health checks that it received: known of fake backends only. */
  readonly receivedProbes: readonly ReceivedProbe[]
}

export interface Unseen {
  readonly service: ServiceName
  readonly port: number
  readonly outcome: AttemptResult
}

/** A service at one of its virtual IPs, and the connections that were made to it one after another. */
export interface ObservedFrontEnd {
  readonly service: ServiceName
  readonly address: string
  readonly port: number
  readonly attempts: readonly Attempt[]
}

export interface ObservedByName {
  readonly service: ServiceName
  readonly name: string
  readonly attempt: Attempt
}

/** Connections from the address of a member, as its own programs would make them. */
export interface ObservedDial {
  readonly from: string
  readonly service: ServiceName
  readonly attempts: readonly Attempt[]
}

/** A connection that was silent for a while between two requests. */
export interface ObservedIdle {
  readonly service: ServiceName
  readonly tried: string
  readonly idleMs: number
  readonly before: AttemptResult
  readonly after: AttemptResult
}

/** A member that said for a while that it was not ready. */
export interface ObservedFlip {
  readonly check: HealthCheckName
  readonly service: ServiceName
  readonly victim: string
  readonly notReadyAtMs: number
  /** From when it was not ready, until nothing came to it any more, or for as long as was waited. */
  readonly whileNotReady: readonly Attempt[]
  /** While it also refused connections; none where it had been dropped. */
  readonly whileRefusing: readonly Attempt[]
  readonly readyAgainAtMs: number
  readonly afterwards: readonly Attempt[]
}

/** What a live cluster says of itself. */
export interface ObservedCluster {
  /** Nodes with a router that is ready. */
  readonly routers: readonly { readonly node: string; readonly address: string }[]
  /** The members that the load balancer lists, as far as the user named them. */
  readonly listedControlPlane: readonly string[]
  readonly listedRouters: readonly string[]
  readonly controlPlane: readonly { readonly node: string; readonly address: string }[]
  /** Whether routers say on their own port that they are ready. */
  readonly routerHealth: readonly Attempt[]
}
