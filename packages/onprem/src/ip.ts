import { isIP } from 'node:net'

/** An IP address as a number of 32 or 128 bits. */
export interface Ip {
  readonly family: 4 | 6
  readonly number: bigint
}

/**
 * Reads an address as Kubernetes does: without leading zeros, zone, brackets, port or prefix length. IPv4 inside
 * IPv6 (`::ffff:192.0.2.1`) is none: the API server refuses it.
 */
export function parseIp(text: string): Ip | undefined {
  if (isIP(text) === 4) return { family: 4, number: numberOf(text.split('.').map(Number), 8n) }
  if (isIP(text) !== 6 || text.includes('%')) return undefined
  const number = numberOf(groupsOf(text), 16n)
  return number >> 32n === 0xffffn ? undefined : { family: 6, number }
}

/** The eight groups of an IPv6 address that is known to be right. */
function groupsOf(text: string): readonly number[] {
  const [head = '', tail] = text.split('::')
  const [first, last] = [groupsIn(head), groupsIn(tail ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

function groupsIn(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16)
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function numberOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((number, part) => (number << bits) | BigInt(part), 0n)
}

/** In the shortest form, as people and Go write it. */
export function formatIp({ family, number }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (number >> BigInt(16 * (7 - i))) & 0xffffn)
  const text = groups.map((group) => group.toString(16)).join(':')
  for (let zeros = 8; zeros > 1; zeros -= 1) {
    const shortened = withoutZeros(text, zeros)
    if (shortened !== undefined) return shortened
  }
  return text
}

/** The text with the first run of so many zeros left out; undefined if there is none. */
function withoutZeros(text: string, zeros: number): string | undefined {
  const [, before, after] = new RegExp(`^(|.*?:)(?:0(?::|$)){${zeros}}(.*)$`).exec(text) ?? []
  return before === undefined ? undefined : `${before.replace(/:$/, '')}::${after}`
}

/** With a port, as in URLs. */
export function formatEndpoint(ip: Ip, port: number): string {
  return `${ip.family === 6 ? `[${formatIp(ip)}]` : formatIp(ip)}:${port}`
}

export function sameIp(one: Ip, other: Ip): boolean {
  return one.family === other.family && one.number === other.number
}
