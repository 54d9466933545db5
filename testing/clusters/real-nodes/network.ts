import { clientNetworks, type NodeLayout, plane, router, type Scope } from './layout.ts'

/** What a network namespace of the bed is given: lines for `ip -batch`, and kernel settings of that namespace alone. */
export interface NamespaceNetwork {
  readonly ip: readonly string[]
  /** Paths below /proc/sys/net, and values. */
  readonly settings: Readonly<Record<string, string>>
}

const forwarding = {
  'ipv4/ip_forward': '1',
  'ipv4/conf/all/rp_filter': '0',
  'ipv4/conf/default/rp_filter': '0',
  'ipv6/conf/all/forwarding': '1',
  'ipv6/conf/default/accept_ra': '0',
  'ipv6/conf/default/accept_dad': '0',
}

export const bridgeName = 'nodes0'

/** The end, in the namespace of the control plane, of the cable to a node or to the cloud's router. */
export function cableOf(name: string): string {
  return `v-${name}`
}

/** Where the API server listens: at the bridge that joins all nodes and the cloud's router. */
export function planeNetwork(nodes: readonly NodeLayout[]): NamespaceNetwork {
  return {
    ip: [
      'link set lo up',
      `link add ${bridgeName} type bridge`,
      `addr add ${plane.ipv4}/24 dev ${bridgeName}`,
      `addr add ${plane.ipv6}/64 dev ${bridgeName} nodad`,
      `link set ${bridgeName} up`,
      // Pods come with addresses of their own.
      ...nodes.flatMap((node) => [
        `route add ${node.podsIpv4} via ${node.ipv4}`,
        `route add ${node.podsIpv6} via ${node.ipv6}`,
      ]),
    ],
    // Frames between nodes are no business of any rule here.
    settings: { 'bridge/bridge-nf-call-iptables': '0', 'bridge/bridge-nf-call-ip6tables': '0' },
  }
}

/** A cable from the control plane's bridge to `eth0` of a node, or to another name elsewhere; `pid` is in the other namespace. */
export function joinToPlane(name: string, pid: number, peer = 'eth0'): readonly string[] {
  return [
    `link add ${cableOf(name)} type veth peer name ${peer} netns ${pid}`,
    `link set ${cableOf(name)} master ${bridgeName} up`,
  ]
}

/** A node's end of its cable. Its default route is the cloud's router: answers to clients go the way they came. */
export function nodeNetwork(node: NodeLayout, nodes: readonly NodeLayout[]): NamespaceNetwork {
  return {
    ip: [
      'link set lo up',
      `addr add ${node.ipv4}/24 dev eth0`,
      `addr add ${node.ipv6}/64 dev eth0 nodad`,
      'link set eth0 up',
      `route add default via ${router.ipv4}`,
      `route add default via ${router.ipv6}`,
      ...nodes
        .filter(({ name }) => name !== node.name)
        .flatMap((other) => [
          `route add ${other.podsIpv4} via ${other.ipv4}`,
          `route add ${other.podsIpv6} via ${other.ipv6}`,
        ]),
    ],
    // What pods of the node send each other passes its forward hook, too: see go/network-policy.
    settings: {
      ...forwarding,
      'bridge/bridge-nf-call-iptables': '1',
      'bridge/bridge-nf-call-ip6tables': '1',
    },
  }
}

/** The router between the nodes and the clients, where the load balancers' addresses are. */
export function cloudNetwork(): NamespaceNetwork {
  return {
    ip: [
      'link set lo up',
      `addr add ${router.ipv4}/24 dev nodes`,
      `addr add ${router.ipv6}/64 dev nodes nodad`,
      'link set nodes up',
      ...(['External', 'Internal'] as const).flatMap((scope) => [
        `addr add ${clientNetworks[scope].routerIpv4}/24 dev ${scope.toLowerCase()}`,
        `addr add ${clientNetworks[scope].routerIpv6}/64 dev ${scope.toLowerCase()} nodad`,
        `link set ${scope.toLowerCase()} up`,
      ]),
    ],
    settings: forwarding,
  }
}

/** A cable from a client to the router; `cloudPid` is in the router's namespace. */
export function clientNetwork(scope: Scope, cloudPid: number): NamespaceNetwork {
  const { clientIpv4, clientIpv6, routerIpv4, routerIpv6 } = clientNetworks[scope]
  return {
    ip: [
      'link set lo up',
      `link add eth0 type veth peer name ${scope.toLowerCase()} netns ${cloudPid}`,
      `addr add ${clientIpv4}/24 dev eth0`,
      `addr add ${clientIpv6}/64 dev eth0 nodad`,
      'link set eth0 up',
      `route add default via ${routerIpv4}`,
      `route add default via ${routerIpv6}`,
    ],
    // A load generator opens many connections; their ports must not run out while old ones wait for their end.
    settings: { 'ipv4/tcp_tw_reuse': '1', 'ipv4/ip_local_port_range': '10000 65000' },
  }
}
