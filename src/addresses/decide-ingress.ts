import type { Ingress } from 'kubernetes-types/networking/v1'
import { fieldsOwnedBy } from '../kube/managed-fields.ts'
import type { Stored } from '../kube/store.ts'
import { type Address, saysTheSame } from './address.ts'
import type { Entry } from './address-book.ts'
import type { Belonging } from './ingress-class.ts'

/**
 * Under this name the API server remembers that an address was written by us, and not by another Portcullis in the same
 * cluster: those have their IngressControllers in other namespaces.
 */
export const addressManager = (controllerNamespace: string) => `portcullis-addresses/${controllerNamespace}`

/** What is to become of the address of one Ingress. */
export type AddressDecision =
  /** It says what it should, or it is none of ours. */
  | { readonly do: 'nothing' }
  /** There is no address any more, but there may be again soon: what stands there stays until then. */
  | { readonly do: 'wait'; readonly until: Date }
  | { readonly do: 'write'; readonly addresses: readonly Address[] }
  /** What stands there is ours, and not true any more. */
  | { readonly do: 'clear' }

export interface IngressSnapshot {
  readonly now: Date
  readonly ingress: Stored<Ingress>
  /** The name under which we write; see `addressManager`. */
  readonly manager: string
  readonly belonging: Belonging
  /** Where its controller is reached; undefined when nobody knows (yet). */
  readonly entry: Entry | undefined
  /** Since when it has belonged there, as far as anybody has seen it come. */
  readonly since: Date | undefined
  /** How long addresses outlive their loss. */
  readonly lostAddressGraceMs: number
}

/** Nothing is ever blank in between: an address goes only when it has long been gone, or with the class. */
export function decideAddress(snapshot: IngressSnapshot): AddressDecision {
  const { ingress, manager, belonging, entry } = snapshot
  const current = ingress.status?.loadBalancer?.ingress ?? []
  const isStale = () => current.length > 0 && isOwnedBy(manager, ingress)
  if (belonging === 'a sister') return { do: 'nothing' }
  if (belonging === 'others') return isStale() ? { do: 'clear' } : { do: 'nothing' }
  if (belonging === 'unknown')
    return isStale() ? clearAfterGrace(snapshot, snapshot.since) : { do: 'nothing' }
  if (entry === undefined) return { do: 'nothing' }
  if (entry.addresses.length === 0)
    return isStale() ? clearAfterGrace(snapshot, later(entry.lostSince, snapshot.since)) : { do: 'nothing' }
  return saysTheSame(entry.addresses, current)
    ? { do: 'nothing' }
    : { do: 'write', addresses: entry.addresses }
}

/** An Ingress that has just come keeps what it brought, however long its new controller has had no address. */
function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

function clearAfterGrace({ now, lostAddressGraceMs }: IngressSnapshot, since: Date = now): AddressDecision {
  if (lostAddressGraceMs === Number.POSITIVE_INFINITY) return { do: 'nothing' }
  const until = new Date(since.getTime() + lostAddressGraceMs)
  return now < until ? { do: 'wait', until } : { do: 'clear' }
}

/** Whether the address that stands there was written under this name, and by nobody since. */
export function isOwnedBy(manager: string, ingress: Stored<Ingress>): boolean {
  return fieldsOwnedBy(manager, ingress, 'status').in('status').in('loadBalancer').has('ingress')
}
