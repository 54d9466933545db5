import { isIPv6 } from 'node:net'
import { clientNetworks } from '../layout.ts'
import type { Health, LoadBalancer, LoadBalancerPort } from './load-balancer.ts'

const table = 'load-balancers'

/** A script for `nft -f` that replaces all forwarding of packets by this one, at once. */
export function forwardingRules(loadBalancers: readonly LoadBalancer[], health: Health): string {
  const direct = loadBalancers.filter(({ forwarding }) => forwarding === 'direct')
  return `table inet ${table}
delete table inet ${table}
table inet ${table} {
  chain clients {
    type filter hook prerouting priority raw; policy accept;
    ${outsideSeesNothingInside()}
    ${loadBalancers.flatMap(sourceRules).join('\n    ')}
  }
  chain forward {
    type nat hook prerouting priority dstnat; policy accept;
    ${direct.flatMap((each) => targetRules(each, health)).join('\n    ')}
  }
}
`
}

/** Addresses for clients inside lead nowhere from outside: that is what scope is about. */
function outsideSeesNothingInside(): string {
  const { ipv4, ipv6 } = clientNetworks.Internal
  return `iifname "external" ip daddr ${ipv4} drop; iifname "external" ip6 daddr ${ipv6} drop;`
}

/** Of other clients no packet is answered, as if nobody had the address. */
function sourceRules({ ips, sourceRanges }: LoadBalancer): readonly string[] {
  if (sourceRanges.length === 0) return []
  return ips.map((ip) => {
    const own = sourceRanges.filter((range) => isIPv6(ip) === range.includes(':'))
    const family = familyOf(ip)
    const others = own.length === 0 ? '' : `${family} saddr != { ${own.join(', ')} } `
    return `${family} daddr ${ip} ${others}drop`
  })
}

/** Without a healthy target there is no rule, and the kernel refuses the connection: nothing listens at the address itself. */
function targetRules({ name, ips, ports, targets }: LoadBalancer, health: Health): readonly string[] {
  const healthy = targets.filter(({ node }) => health[name]?.[node] === 'healthy')
  if (healthy.length === 0) return []
  return ips.flatMap((ip) => {
    const addresses = healthy.map(({ ipv4, ipv6 }) => (isIPv6(ip) ? ipv6 : ipv4))
    return ports.map((port) => targetRule(ip, port, addresses))
  })
}

function targetRule(
  ip: string,
  { protocol, port, targetPort }: LoadBalancerPort,
  targets: readonly string[],
): string {
  const family = familyOf(ip)
  const inTurn = targets.map((target, index) => `${index} : ${target}`).join(', ')
  return `${family} daddr ${ip} ${protocol.toLowerCase()} dport ${port} dnat ${family} to numgen inc mod ${targets.length} map { ${inTurn} } : ${targetPort}`
}

function familyOf(ip: string): 'ip' | 'ip6' {
  return isIPv6(ip) ? 'ip6' : 'ip'
}
