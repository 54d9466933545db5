import { isIP } from 'node:net'
import type { Address } from './address.ts'
import { inOneForm, isMappedIpv4, isPublishableName, looksLikeIpv4 } from './publishable.ts'

/**
 * Reads addresses as people give them, each an IP or a host name. The API server would refuse what it does not like on
 * every single Ingress; here it is refused once, before anything is written.
 */
export function parseStaticAddresses(given: readonly string[]): readonly Address[] {
  const texts = given
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter(Boolean)
  const seen = new Set<string>()
  return texts.map((text) => {
    const problem =
      problemWith(text) ?? (seen.has(meaningOf(text)) ? 'it is given twice: remove one' : undefined)
    if (problem !== undefined) throw new Error(`The address "${text}" cannot be published: ${problem}.`)
    seen.add(meaningOf(text))
    return isIP(text) === 0 ? { hostname: text } : { ip: text }
  })
}

function meaningOf(text: string): string {
  return isIP(text) === 6 ? inOneForm(text) : text
}

function problemWith(text: string): string | undefined {
  if (text.includes('%')) return 'a zone (%…) is valid on one machine only: give the address without it'
  if (isIP(text) === 6 && isMappedIpv4(text)) return 'write it as an IPv4 address, such as 10.0.0.1'
  if (isIP(text) !== 0) return undefined
  if (/^\[.*\]/.test(text)) return 'write an IPv6 address without brackets'
  if (looksLikeIpv4(text)) {
    return 'it is not an IPv4 address: each part is a number from 0 to 255 without leading zeros'
  }
  if (/:\d+$/.test(text)) return 'give the address alone, without a port'
  if (text.startsWith('*')) return 'a wildcard is a pattern, not an address'
  if (text !== text.toLowerCase()) return `write host names in lower case: ${text.toLowerCase()}`
  if (text.length > 253) return 'host names have at most 253 characters'
  if (!isPublishableName(text)) return 'it is neither an IP nor a DNS name such as lb.example.com'
  return undefined
}
