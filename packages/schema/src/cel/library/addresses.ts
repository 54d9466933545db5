import type { Environment } from '@marcbachmann/cel-js'
import { goQuote } from '../../go-quote.ts'
import {
  type Cidr,
  contains,
  family,
  formatCidr,
  formatIp,
  type Ip,
  masked,
  parseCidr,
  parseIp,
} from '../../ip.ts'
import { CelError } from './cel-error.ts'

export class IpValue {
  readonly ip: Ip
  constructor(ip: Ip) {
    this.ip = ip
  }
}

export class CidrValue {
  readonly cidr: Cidr
  constructor(cidr: Cidr) {
    this.cidr = cidr
  }
}

/** IP addresses and networks. */
export function registerAddresses(env: Environment): void {
  env.registerType('IP', IpValue as never)
  env.registerType('CIDR', CidrValue as never)
  const ip = (text: string): IpValue => {
    const parsed = parseIp(text)
    if (parsed !== undefined) return new IpValue(parsed)
    throw new CelError(
      `IP Address ${goQuote(text)} parse error during conversion from string: ParseAddr(${goQuote(text)}): unable to parse IP`,
    )
  }
  const cidr = (text: string): CidrValue => {
    const parsed = parseCidr(text)
    if (parsed !== undefined) return new CidrValue(parsed)
    throw new CelError(
      `CIDR ${goQuote(text)} parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): no '/'`,
    )
  }
  const noOverload = () => new CelError('no such overload')
  env.registerFunction('isIP(string): bool', (text: string) => parseIp(text) !== undefined)
  env.registerFunction('ip(string): IP', ip)
  env.registerFunction('k8s_ipIsCanonical(string): bool', (text: string) => formatIp(ip(text).ip) === text)
  env.registerFunction('string(IP): string', (value: IpValue) => formatIp(value.ip))
  env.registerFunction('IP.family(): int', (value: IpValue) => BigInt(family(value.ip)))
  for (const [name, test] of Object.entries(addressTests))
    env.registerFunction(`IP.${name}(): bool`, (value: IpValue) => test(value.ip.bytes))
  env.registerOperator('IP == IP', (a: IpValue, b: IpValue) => formatIp(a.ip) === formatIp(b.ip))
  env.registerFunction('isCIDR(string): bool', (text: string) => parseCidr(text) !== undefined)
  env.registerFunction('cidr(string): CIDR', cidr)
  env.registerFunction('string(CIDR): string', (value: CidrValue) => formatCidr(value.cidr))
  env.registerFunction('CIDR.ip(): IP', (value: CidrValue) => new IpValue(value.cidr.ip))
  env.registerFunction('CIDR.masked(): CIDR', (value: CidrValue) => new CidrValue(masked(value.cidr)))
  env.registerFunction('CIDR.prefixLength(): int', (value: CidrValue) => BigInt(value.cidr.bits))
  env.registerFunction('CIDR.containsIP(IP): bool', (value: CidrValue, other: IpValue) =>
    contains(value.cidr, other.ip),
  )
  env.registerFunction('CIDR.containsIP(string): bool', (value: CidrValue, other: string) => {
    const parsed = parseIp(other)
    if (parsed === undefined) throw noOverload()
    return contains(value.cidr, parsed)
  })
  const containsCidr = (outer: Cidr, inner: Cidr) => outer.bits <= inner.bits && contains(outer, inner.ip)
  env.registerFunction('CIDR.containsCIDR(CIDR): bool', (value: CidrValue, other: CidrValue) =>
    containsCidr(value.cidr, other.cidr),
  )
  env.registerFunction('CIDR.containsCIDR(string): bool', (value: CidrValue, other: string) => {
    const parsed = parseCidr(other)
    if (parsed === undefined) throw noOverload()
    return containsCidr(value.cidr, parsed)
  })
  env.registerOperator(
    'CIDR == CIDR',
    (a: CidrValue, b: CidrValue) => formatCidr(a.cidr) === formatCidr(b.cidr),
  )
}

type Bytes = readonly number[]

const isLoopback = (bytes: Bytes) =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1
const isUnspecified = (bytes: Bytes) => bytes.every((byte) => byte === 0)
const isLinkLocalUnicast = (bytes: Bytes) =>
  bytes.length === 4
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80
const isLinkLocalMulticast = (bytes: Bytes) =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2
const isMulticast = (bytes: Bytes) =>
  bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff
const isBroadcast = (bytes: Bytes) => bytes.length === 4 && bytes.every((byte) => byte === 255)

const addressTests: Readonly<Record<string, (bytes: Bytes) => boolean>> = {
  isLoopback,
  isUnspecified,
  isLinkLocalUnicast,
  isLinkLocalMulticast,
  isGlobalUnicast: (bytes) =>
    ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some((test) => test(bytes)),
}
