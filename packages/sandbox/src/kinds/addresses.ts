import { isIPv4, isIPv6 } from 'node:net'
import { type FieldError, goJson, invalid } from '@portcullis/schema'

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const notACidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** Addresses with leading zeros, which were let through once, count as addresses here. */
export function isAddress(value: string): boolean {
  return isIPv4(withoutLeadingZeros(value)) || isAddress6(value)
}

export function isAddress6(value: string): boolean {
  return isIPv6(value) && !value.includes('%')
}

export function familyOf(address: string): 'IPv4' | 'IPv6' {
  return isAddress6(address) && !isMapped(address) ? 'IPv6' : 'IPv4'
}

/** What was there before may stay, however it is written. */
export function validateAddress(field: string, value: string, before: readonly string[] = []): FieldError[] {
  if (before.includes(value)) return []
  if (!isAddress(value)) return [invalid(field, value, notAnAddress)]
  if (isAddress6(value))
    return isMapped(value) ? [invalid(field, value, 'must not be an IPv4-mapped IPv6 address')] : []
  return isIPv4(value) ? [] : [invalid(field, value, 'must not have leading 0s')]
}

/** For newer fields, where every address can be written in one way only. */
export function validateCanonicalAddress(field: string, value: string): FieldError[] {
  const errors = validateAddress(field, value)
  if (errors.length > 0 || !isAddress6(value) || canonical6(value) === value) return errors
  return [invalid(field, value, `must be in canonical form (${goJson(canonical6(value))})`)]
}

export function validateCidr(field: string, value: string, before: readonly string[] = []): FieldError[] {
  if (before.includes(value)) return []
  const [address = '', length = '', ...more] = value.split('/')
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : -1
  const six = isAddress6(address)
  if (more.length > 0 || !isAddress(address) || bits < 0 || bits > (six ? 128 : 32))
    return [invalid(field, value, notACidr)]
  if ((!six && !isIPv4(address)) || String(bits) !== length)
    return [invalid(field, value, 'must not have leading 0s in IP or prefix length')]
  if (six && isMapped(address)) return [invalid(field, value, 'must not have an IPv4-mapped IPv6 address')]
  const number = numberOf(address)
  const hostBits = BigInt((six ? 128 : 32) - bits)
  if ((number >> hostBits) << hostBits !== number)
    return [invalid(field, value, 'must not have bits set beyond the prefix length')]
  return []
}

/** Whether all of a network lies within a larger one; undefined where one of them is no network. */
export function containsNetwork(outer: string, inner: string): boolean | undefined {
  const [a, b] = [networkOf(outer), networkOf(inner)]
  if (a === undefined || b === undefined) return undefined
  const hostBits = BigInt(a.width - a.bits)
  return a.width === b.width && a.bits < b.bits && b.number >> hostBits === a.number >> hostBits
}

function networkOf(value: string): { number: bigint; bits: number; width: number } | undefined {
  const [address = '', length = '', ...more] = value.split('/')
  const width = isAddress6(address) ? 128 : 32
  const bits = Number(length)
  if (more.length > 0 || !isAddress(address) || !/^\d{1,3}$/.test(length) || bits > width) return undefined
  return { number: numberOf(address), bits, width }
}

/** For the `Warning` header, about a range that is valid. */
export function warningsAboutCidr(field: string, value: string): string[] {
  const [address = '', length = ''] = value.split('/')
  if (!isAddress6(address) || canonical6(address) === address) return []
  const better = goJson(`${canonical6(address)}/${length}`)
  return [`${field}: IPv6 CIDR value ${goJson(value)} should be in RFC 5952 canonical format (${better})`]
}

/** Addresses at which nothing outside can be reached. */
export function validateReachable(field: string, value: string): FieldError[] {
  if (!isAddress(value)) return [invalid(field, value, 'must be a valid IP address')]
  const address = isAddress6(value) ? canonical6(value) : withoutLeadingZeros(value)
  const errors: FieldError[] = []
  if (address === '0.0.0.0' || address === '::')
    errors.push(invalid(field, value, `may not be unspecified (${value})`))
  if (address.startsWith('127.') || address === '::1')
    errors.push(invalid(field, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  if (address.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/.test(address))
    errors.push(invalid(field, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  if (address.startsWith('224.0.0.') || /^ff[0-9a-f]2:/.test(address))
    errors.push(
      invalid(field, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'),
    )
  return errors
}

/** For the `Warning` header. */
export function warningsAboutAddress(field: string, value: string): string[] {
  if (!isAddress(value)) return []
  if (!isAddress6(value)) {
    const plain = withoutLeadingZeros(value)
    return plain === value
      ? []
      : [`${field}: non-standard IP address ${goJson(value)} is invalid: use ${goJson(plain)}`]
  }
  const canonical = canonical6(value)
  return canonical === value
    ? []
    : [
        `${field}: IPv6 address ${goJson(value)} should be in RFC 5952 canonical format (${goJson(canonical)})`,
      ]
}

export function numberOf(address: string): bigint {
  if (!isAddress6(address))
    return address.split('.').reduce((sum, part) => sum * 256n + BigInt(Number(part)), 0n)
  const [head = '', tail] = canonical6(address).split('::')
  const words = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const before = words(head)
  const after = words(tail)
  const middle = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...middle, ...after].reduce((sum, word) => sum * 65536n + BigInt(`0x${word}`), 0n)
}

function canonical6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function isMapped(address: string): boolean {
  return numberOf(address) >> 32n === 0xffffn
}

function withoutLeadingZeros(address: string): string {
  return /^\d+(\.\d+){3}$/.test(address) ? address.split('.').map(Number).join('.') : address
}
