import { formatIp, type Ip, parseIp, sameIp } from '../ip.ts'
import { masked, parseNetwork, roleIn } from '../network.ts'

/** As many members as a load balancer can ask every few seconds without harm, most of which never answer. */
const most = 256n

/**
 * The addresses of a subnet that a machine can have, where the addresses are not known in advance.
 *
 * @param taken addresses that are something else's, such as the virtual IPs
 * @throws a sentence if that is no subnet, or one too large to be listed
 */
export function addressesIn(subnet: string, taken: readonly Ip[]): readonly string[] {
  const network = parseNetwork(subnet)
  if (network === undefined) throw new Error(`--subnet ${subnet} is no network; write it as 192.0.2.0/28.`)
  const size = 1n << BigInt((network.family === 4 ? 32 : 128) - network.prefix)
  if (size > most) {
    throw new Error(
      `--subnet ${subnet} has ${size} addresses, and a load balancer asks each of its members every few seconds; ` +
        `put the machines into a subnet of at most ${most} (a /27 or /28 is enough for most), or name their addresses.`,
    )
  }
  const { address } = masked(network)
  const all = Array.from({ length: Number(size) }, (_, i): Ip => {
    return { family: network.family, number: address + BigInt(i) }
  })
  // The first address is nearly always the gateway's, which is no node.
  return all
    .filter((ip) => roleIn(network, ip) === 'host' && !taken.some((each) => sameIp(each, ip)))
    .map(formatIp)
}

/** @throws a sentence for what is no address */
export function ipOf(flag: string, text: string): Ip {
  const ip = parseIp(text)
  if (ip === undefined) throw new Error(`${flag} ${text} is no IP address; write one such as 192.0.2.21.`)
  return ip
}
