import { isIP } from 'node:net'
import type { Cached } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import { type Address, inOrder } from './address.ts'

export interface ServiceAddressOptions {
  /** Publish the cluster IP of a Service that has nothing else. */
  readonly clusterIps?: boolean
}

/** Where a Service is reached from outside: the status of its load balancer, external IPs, or the name that it stands for. */
export function serviceAddresses(
  { spec, status }: Cached<Service>,
  { clusterIps = false }: ServiceAddressOptions = {},
): readonly Address[] {
  if (spec?.type === 'ExternalName') return inOrder([addressOf(spec.externalName ?? '')])
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname, ports }) => ({
    ...(ip && { ip }),
    ...(hostname && { hostname }),
    ...(ports?.length && { ports }),
  }))
  const external = (spec?.externalIPs ?? []).map((ip) => ({ ip }))
  const found = inOrder([...balanced, ...external])
  if (found.length > 0 || !clusterIps) return found
  return inOrder((spec?.clusterIPs ?? []).map((ip) => ({ ip })))
}

/** An ExternalName may be an IP, and may end in a dot; the status of an Ingress takes no such name. */
function addressOf(name: string): Address {
  const text = name.toLowerCase().replace(/\.$/, '')
  return isIP(text) === 0 ? { hostname: text } : { ip: text }
}
