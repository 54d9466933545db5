import type { Address } from './address.ts'
import type { ClassRules } from './ingress-class.ts'

export interface AddressSettings extends ClassRules {
  /** What every Ingress of ours is to say, whatever is found out; empty where that is to be found out. */
  readonly staticAddresses: readonly Address[]
  /** How long addresses outlive their loss; infinity for ever. */
  readonly lostAddressGraceMs: number
}

export const defaultAddressSettings: AddressSettings = {
  staticAddresses: [],
  lostAddressGraceMs: 10 * 60_000,
  withoutClass: false,
}
