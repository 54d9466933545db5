/**
 * Who has which address. Three networks: that of the nodes, and one for clients outside and one for clients inside, so that
 * the scope of a load balancer is something that a packet can tell. All addresses are those of documentation.
 */

export interface NodeLayout {
  readonly name: string
  readonly ipv4: string
  readonly ipv6: string
  /** Of its pods, with the length of the prefix. */
  readonly podsIpv4: string
  readonly podsIpv6: string
}

export interface ClientNetwork {
  /** The end of the cloud's router, which is the clients' way to everything. */
  readonly routerIpv4: string
  readonly routerIpv6: string
  readonly clientIpv4: string
  readonly clientIpv6: string
  /** The network itself, with the length of the prefix. */
  readonly ipv4: string
  readonly ipv6: string
}

export type Scope = 'External' | 'Internal'

export const plane = { ipv4: '198.51.100.1', ipv6: '2001:db8:51::1' }
export const router = { ipv4: '198.51.100.254', ipv6: '2001:db8:51::254' }

export const clientNetworks: Readonly<Record<Scope, ClientNetwork>> = {
  External: {
    routerIpv4: '203.0.113.1',
    routerIpv6: '2001:db8:e::1',
    clientIpv4: '203.0.113.200',
    clientIpv6: '2001:db8:e::c8',
    ipv4: '203.0.113.0/24',
    ipv6: '2001:db8:e::/64',
  },
  Internal: {
    routerIpv4: '192.0.2.1',
    routerIpv6: '2001:db8:1::1',
    clientIpv4: '192.0.2.200',
    clientIpv6: '2001:db8:1::c8',
    ipv4: '192.0.2.0/24',
    ipv6: '2001:db8:1::/64',
  },
}

export const serviceRanges = { ipv4: '10.96.0.0/16', ipv6: 'fd00:10:96::/112' }
export const podRanges = { ipv4: '10.244.0.0/16', ipv6: 'fd00:10:244::/48' }
/** Of the Service `kubernetes`: the first of the range. */
export const apiServiceIp = '10.96.0.1'
export const clusterDnsIp = '10.96.0.10'
export const clusterDnsIpv6 = 'fd00:10:96::a'
export const apiServerPort = 6443

export const mostNodes = 9

/** node-a, node-b, … */
export function nodeLayouts(count: number): readonly NodeLayout[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    return {
      name: `node-${String.fromCharCode('a'.charCodeAt(0) + index)}`,
      ipv4: `198.51.100.${10 + number}`,
      ipv6: `2001:db8:51::${10 + number}`,
      podsIpv4: `10.244.${number}.0/24`,
      podsIpv6: `fd00:10:244:${number}::/64`,
    }
  })
}
