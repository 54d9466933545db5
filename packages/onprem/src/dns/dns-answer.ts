/** What a resolver said of one name and one type of record. */
export interface DnsAnswer {
  /** As `192.0.2.53`, or `192.0.2.53:5353` where the port is another. */
  readonly resolver: string
  readonly name: string
  readonly type: 'A' | 'AAAA'
  readonly outcome: DnsResult
}

export type DnsResult =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** NXDOMAIN: nothing is known by that name. */
  | { readonly kind: 'no-such-name' }
  /** The name is known, but has no record of this type. */
  | { readonly kind: 'no-record' }
  | { readonly kind: 'silent' }
  /** There was an answer, and it was no help. */
  | { readonly kind: 'failed'; readonly code: string }
