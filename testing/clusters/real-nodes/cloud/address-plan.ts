import type {
  AddressRange,
  AddressRanges,
} from '@portcullis/sandbox/internal/controllers/cloud/address-ranges.ts'
import type { Scope } from '../layout.ts'

const prefixes: Readonly<Record<Scope, { readonly ipv4: string; readonly ipv6: string }>> = {
  External: { ipv4: '203.0.113.', ipv6: '2001:db8:e::' },
  Internal: { ipv4: '192.0.2.', ipv6: '2001:db8:1::' },
}
const first = 10
const size = 100

/** The addresses of load balancers, in the networks of the clients that may reach them. */
export const addressPlan: AddressRanges = { External: rangeOf('External'), Internal: rangeOf('Internal') }

/** A free address of each family. */
export function freeIps(scope: Scope, inUse: ReadonlySet<string>): readonly string[] {
  const range = addressPlan[scope]
  for (let index = 0; index < range.size; index++) {
    const ip = range.at(index)
    if (!inUse.has(ip)) return [ip, ipv6Beside(ip, scope)]
  }
  throw new Error(`All addresses for load balancers of the scope ${scope} are in use.`)
}

/** The IPv6 address that goes with an IPv4 address. */
export function ipv6Beside(ipv4: string, scope: Scope): string {
  return `${prefixes[scope].ipv6}${Number(ipv4.split('.').at(-1)).toString(16)}`
}

export function scopeOfIp(ip: string): Scope {
  return addressPlan.Internal.includes(ip) ? 'Internal' : 'External'
}

function rangeOf(scope: Scope): AddressRange {
  const { ipv4 } = prefixes[scope]
  return { size, at: (index) => `${ipv4}${first + index}`, includes: (ip) => ip.startsWith(ipv4) }
}
