import { formatIp, type Ip, parseIp } from './ip.ts'

/** A network in CIDR notation, as written: `first` may have bits set behind the prefix until it is {@link masked}. */
export interface Network {
  readonly family: 4 | 6
  readonly address: bigint
  readonly prefix: number
}

export function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const ip = parseIp(address)
  if (ip === undefined || Number(prefix) > widthOf(ip.family)) return undefined
  return { family: ip.family, address: ip.number, prefix: Number(prefix) }
}

/** A network that is known to be right, for tables. */
export function network(text: string): Network {
  const parsed = parseNetwork(text)
  if (parsed === undefined) throw new Error(`"${text}" is not a network in CIDR notation.`)
  return parsed
}

export function formatNetwork({ family, address, prefix }: Network): string {
  return `${formatIp({ family, number: address })}/${prefix}`
}

/** The network's own address, with nothing behind the prefix. */
export function masked(network: Network): Network {
  const shift = hostBits(network)
  return { ...network, address: (network.address >> shift) << shift }
}

export function contains(network: Network, { family, number }: Ip): boolean {
  const shift = hostBits(network)
  return network.family === family && network.address >> shift === number >> shift
}

export function overlap(one: Network, other: Network): boolean {
  const wider = one.prefix <= other.prefix ? one : other
  const narrower = wider === one ? other : one
  return contains(wider, { family: narrower.family, number: narrower.address })
}

/** The address at a place of the network, counted from its own. */
export function hostIn(network: Network, place: bigint): Ip {
  return { family: network.family, number: masked(network).address + place }
}

/** What an address is to a network that it is in: two have a use of their own in all networks but the smallest. */
export function roleIn(network: Network, { number }: Ip): 'network' | 'broadcast' | 'first' | 'host' {
  const size = 1n << hostBits(network)
  const position = number - masked(network).address
  if (size <= 2n) return 'host'
  if (position === 0n) return 'network'
  if (network.family === 4 && position === size - 1n) return 'broadcast'
  return position === 1n ? 'first' : 'host'
}

function hostBits({ family, prefix }: Network): bigint {
  return BigInt(widthOf(family) - prefix)
}

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}
