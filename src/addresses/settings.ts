import type { Key } from '../kube/objects.ts'
import type { Address } from './address.ts'
import type { ClassRules } from './ingress-class.ts'

export interface AddressSettings extends ClassRules {
  /** What every Ingress of ours is to say, whatever is found out; empty where that is to be found out. */
  readonly staticAddresses: readonly Address[]
  /** The same for Ingresses of single classes; these come before. */
  readonly classAddresses: ReadonlyMap<string, readonly Address[]>
  /** The Service by whose addresses Ingresses are reached, instead of their controller's. */
  readonly publishService: Key | undefined
  /** Whether that may be the cluster IP. */
  readonly publishClusterIp: boolean
  /** How long addresses outlive their loss; infinity for ever. */
  readonly lostAddressGraceMs: number
}

export const defaultAddressSettings: AddressSettings = {
  staticAddresses: [],
  classAddresses: new Map(),
  publishService: undefined,
  publishClusterIp: false,
  lostAddressGraceMs: 10 * 60_000,
  withoutClass: false,
  classNames: [],
  controllerNamespace: 'openshift-ingress-operator',
}
