import type { Ip } from '../ip.ts'
import type { VirtualIps } from '../virtual-ips.ts'

export const roles = ['bootstrap', 'master', 'worker'] as const
export type Role = (typeof roles)[number]

export type Program = 'haproxy' | 'keepalived' | 'coredns'

/** All that is needed to write down what a node runs, so that API and ingress are found and reached. */
export interface Node {
  readonly role: Role
  readonly vips: VirtualIps
  /** As `shop.example.com`. */
  readonly domain: string
  /** Where the API servers are: for the balancer of the control plane. */
  readonly controlPlane: readonly Ip[]
  /** Where other nodes are that may run routers. */
  readonly workers: readonly Ip[]
  /** The node's own addresses, where they are known: configuration for a whole role does not know them. */
  readonly own: readonly Ip[]
  /** Names that the node's DNS server answers beside those of API and ingress. */
  readonly names: readonly NamedNode[]
  /** Upstream DNS servers for all other names; those of the node's network configuration, if empty. */
  readonly upstreams: readonly Ip[]
  /** The network interface that takes virtual IPs. */
  readonly interface: string
  /** How nodes agree on which holds the virtual IPs (VRRP). */
  readonly vrrp: 'multicast' | 'unicast'
  readonly images: Readonly<Record<Program, string>>
  readonly ports: Ports
}

export interface NamedNode {
  readonly name: string
  readonly ip: Ip
}

/** Where things listen. */
export interface Ports {
  /** Of the API servers. */
  readonly api: number
  /** Of the balancer in front of them, on every address unless others are listed. */
  readonly balancer: number
  readonly balancerReady: number
  readonly balancerStatistics: number
  readonly balancerAddresses: readonly Ip[]
  readonly dns: number
  readonly dnsHealth: number
  /** Of the routers' readiness. */
  readonly routerReady: number
}

export const usualPorts: Ports = {
  api: 6443,
  balancer: 9445,
  balancerReady: 9444,
  balancerStatistics: 29_445,
  balancerAddresses: [],
  dns: 53,
  dnsHealth: 18_080,
  routerReady: 1936,
}

/**
 * Which programs a node runs. With a load balancer of the customer's, names alone are left to do; without virtual
 * IPs, not even that.
 */
export function programsOf({ vips, role }: Pick<Node, 'vips' | 'role'>): readonly Program[] {
  if (vips.api.length === 0) return []
  // Bootstrap, too, on every platform: its own resolver comes first, and api-int must be found by then.
  if (vips.servedBy === 'customer') return ['coredns']
  return role === 'master' ? ['haproxy', 'keepalived', 'coredns'] : ['keepalived', 'coredns']
}
