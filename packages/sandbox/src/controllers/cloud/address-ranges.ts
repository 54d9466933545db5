/** The IPs that a cloud gives to load balancers of one scope. */
export interface AddressRange {
  readonly size: number
  readonly at: (index: number) => string
  readonly includes: (ip: string) => boolean
}

export interface AddressRanges {
  readonly External: AddressRange
  readonly Internal: AddressRange
}

export const documentationRanges: AddressRanges = {
  /** Ranges for documentation (RFC 5737): they lead nowhere. */
  External: {
    size: 2 * 254,
    at: (index) => (index < 254 ? `203.0.113.${index + 1}` : `198.51.100.${index - 253}`),
    includes: (ip) => ip.startsWith('203.0.113.') || ip.startsWith('198.51.100.'),
  },
  /** Neither the pods' range nor the Services'. */
  Internal: {
    size: 32 * 254,
    at: (index) => `10.0.${128 + Math.floor(index / 254)}.${(index % 254) + 1}`,
    includes: (ip) => ip.startsWith('10.'),
  },
}
