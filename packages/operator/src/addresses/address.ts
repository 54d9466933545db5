import { isIPv6 } from 'node:net'
import type { DeepReadonly } from '@portcullis/kube'
import type { IngressLoadBalancerIngress } from 'kubernetes-types/networking/v1'
import { isPublishableIp, isPublishableName } from './publishable.ts'

/** Where something is reached: an IP or a host name, and perhaps on which ports. As `status.loadBalancer` has it. */
export type Address = DeepReadonly<IngressLoadBalancerIngress>

/** Whether two lists have the same addresses, in whatever order, duplicates aside; no ports and an empty list of them are one. */
export function addressesEqual(one: readonly Address[], other: readonly Address[]): boolean {
  // One address without ports, as nearly always: ten thousand Ingresses are compared so.
  const [only, otherOnly] = [one[0], other[0]]
  if (one.length === 1 && other.length === 1 && !only?.ports && !otherOnly?.ports)
    return only?.ip === otherOnly?.ip && only?.hostname === otherOnly?.hostname
  const [these, those] = [new Set(one.map(formatAddress)), new Set(other.map(formatAddress))]
  return these.size === those.size && [...these].every((text) => those.has(text))
}

/**
 * Without duplicates, blank entries and what the API server would refuse, in an order that does not depend on where they
 * came from.
 */
export function inOrder(addresses: readonly Address[]): readonly Address[] {
  const byText = new Map(addresses.flatMap(publishablePart).map((each) => [formatAddress(each), each]))
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, address]) => address)
}

/** One address that is refused would keep all others out as well. */
function publishablePart({ ip, hostname, ...more }: Address): Address[] {
  const part = {
    ...(ip && isPublishableIp(ip) && { ip }),
    ...(hostname && isPublishableName(hostname) && { hostname }),
  }
  return part.ip || part.hostname ? [{ ...part, ...more }] : []
}

/** For people, and to compare by: `10.0.0.1`, `10.0.0.1:80/TCP,443/TCP` or `[fd00::1]:80/TCP`. */
export function formatAddress({ ip, hostname, ports = [] }: Address): string {
  const numbers = ports.map(
    ({ port, protocol, error = '' }) => `${port}/${protocol}${error && ` (${error})`}`,
  )
  const host = ip && numbers.length > 0 && isIPv6(ip) ? `[${ip}]` : ip || hostname
  return [host, ip && hostname, numbers.sort().join(',')].filter(Boolean).join(':')
}
