/** IP addresses and networks as Go's net/netip has them: 4 or 16 bytes. */
export interface Ip {
  readonly bytes: readonly number[]
}

export interface Cidr {
  readonly ip: Ip
  readonly bits: number
}

/** Strict by default: no leading zeros, no zone, no IPv4 inside IPv6. */
export function parseIp(text: string, { sloppy = false } = {}): Ip | undefined {
  if (!text.includes(':')) return parseV4(text, sloppy)
  if (text.includes('%')) return undefined
  const ip = parseV6(text)
  if (ip === undefined || sloppy) return ip
  return isMapped(ip) ? undefined : ip
}

function parseV4(text: string, sloppy: boolean): Ip | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    if (!/^[0-9]{1,3}$/.test(part) || Number(part) > 255) return undefined
    if (!sloppy && part.length > 1 && part.startsWith('0')) return undefined
    bytes.push(Number(part))
  }
  return { bytes }
}

function parseV6(text: string): Ip | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head = '', tail] = halves
  const groups = (part: string, isLast: boolean): number[] | undefined => {
    if (part === '') return []
    const numbers: number[] = []
    const pieces = part.split(':')
    for (const [i, piece] of pieces.entries()) {
      if (isLast && i === pieces.length - 1 && piece.includes('.')) {
        const v4 = parseV4(piece, false)
        if (v4 === undefined) return undefined
        const [a = 0, b = 0, c = 0, d = 0] = v4.bytes
        numbers.push(a * 256 + b, c * 256 + d)
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(piece)) return undefined
        numbers.push(Number.parseInt(piece, 16))
      }
    }
    return numbers
  }
  const first = groups(head, tail === undefined)
  const second = tail === undefined ? [] : groups(tail, true)
  if (first === undefined || second === undefined) return undefined
  const missing = 8 - first.length - second.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const all = [...first, ...Array<number>(missing).fill(0), ...second]
  return { bytes: all.flatMap((group) => [group >> 8, group & 255]) }
}

function isMapped({ bytes }: Ip): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255
  )
}

export function formatIp({ bytes }: Ip): string {
  if (bytes.length === 4) return bytes.join('.')
  if (isMapped({ bytes })) return `::ffff:${bytes.slice(12).join('.')}`
  const groups: number[] = []
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0))
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start += 1) {
    let length = 0
    while (start + length < 8 && groups[start + length] === 0) length += 1
    if (length > best.length) best = { start, length }
  }
  const hex = groups.map((group) => group.toString(16))
  if (best.start < 0) return hex.join(':')
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`
}

export function parseCidr(text: string, options: { sloppy?: boolean } = {}): Cidr | undefined {
  const slash = text.lastIndexOf('/')
  if (slash < 0) return undefined
  const ip = parseIp(text.slice(0, slash), options)
  const length = text.slice(slash + 1)
  if (ip === undefined || !/^(?:0|[1-9][0-9]*)$/.test(length)) return undefined
  const bits = Number(length)
  return bits > ip.bytes.length * 8 ? undefined : { ip, bits }
}

export function formatCidr({ ip, bits }: Cidr): string {
  return `${formatIp(ip)}/${bits}`
}

/** The network's own address: everything behind its prefix is zero. */
export function masked({ ip, bits }: Cidr): Cidr {
  const bytes = ip.bytes.map((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8))
    return byte & (0xff00 >> kept) & 255
  })
  return { ip: { bytes }, bits }
}

export function contains(network: Cidr, ip: Ip): boolean {
  if (ip.bytes.length !== network.ip.bytes.length) return false
  return formatIp(masked({ ip, bits: network.bits }).ip) === formatIp(masked(network).ip)
}

export function family({ bytes }: Ip): 4 | 6 {
  return bytes.length === 4 ? 4 : 6
}
