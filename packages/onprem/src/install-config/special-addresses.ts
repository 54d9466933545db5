import type { Ip } from '../ip.ts'
import { contains, network } from '../network.ts'

const special = [
  { network: network('0.0.0.0/8'), what: 'stands for no address' },
  { network: network('127.0.0.0/8'), what: 'is each machine to itself' },
  { network: network('169.254.0.0/16'), what: 'holds on a single link alone' },
  { network: network('224.0.0.0/4'), what: 'is for multicast' },
  { network: network('255.255.255.255/32'), what: 'is for broadcasts' },
  { network: network('::/128'), what: 'stands for no address' },
  { network: network('::1/128'), what: 'is each machine to itself' },
  { network: network('fe80::/10'), what: 'holds on a single link alone' },
  { network: network('ff00::/8'), what: 'is for multicast' },
] as const

/** The purpose of an address that is never assigned to one machine; undefined for all others. */
export function specialUseOf(ip: Ip): string | undefined {
  return special.find(({ network }) => contains(network, ip))?.what
}
