import { type Cached, fieldsOwnedBy } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { type Address, addressesEqual } from './address.ts'
import type { Entry } from './address-book.ts'
import type { Belonging } from './ingress-class.ts'
import type { Selection } from './shard.ts'

/**
 * The field manager by which the API server records that an address was written by us, and not by another Portcullis in
 * the same cluster: those have their IngressControllers in other namespaces.
 */
export const addressManager = (controllerNamespace: string) => `portcullis-addresses/${controllerNamespace}`

/** What is to become of the address of one Ingress. */
export type AddressDecision =
  /** It has the address that it should, or it is none of ours. */
  | { readonly do: 'nothing' }
  /** There is no address any more, but there may be again soon: what stands there stays until then. */
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'write'; readonly addresses: readonly Address[] }
  /** What stands there is ours, and not true any more. */
  | { readonly do: 'clear' }

/** Its times are milliseconds of the clock that never jumps: a grace must not depend on what time it is taken to be. */
export interface IngressSnapshot {
  readonly now: number
  readonly ingress: Cached<Ingress>
  /** The name under which we write; see `addressManager`. */
  readonly manager: string
  readonly belonging: Belonging
  /** Whether the routers of its controller serve it. */
  readonly selection: Selection['is']
  /** Where its controller is reached; undefined if unknown (yet). */
  readonly entry: Entry | undefined
  /** Since when it has belonged there, if this process has observed the change. */
  readonly since: number | undefined
  /** How long addresses outlive their loss. */
  readonly lostAddressGraceMs: number
}

/**
 * Labels are changed in two steps, and put back by the user who finds a mistake: until then the address stays. Longer would not
 * be true, for the routers serve it no more.
 */
const excludedGraceMs = 60_000

/**
 * Nothing is ever blank in between: an address goes only when it has long been gone, or with the class, or when the
 * controller selects the Ingress no more.
 */
export function decideAddress(snapshot: IngressSnapshot): AddressDecision {
  const { ingress, manager, belonging, entry } = snapshot
  const current = ingress.status?.loadBalancer?.ingress ?? []
  const isStale = () => current.length > 0 && isOwnedBy(manager, ingress)
  if (belonging === 'otherInstance') return { do: 'nothing' }
  if (belonging === 'others') return isStale() ? { do: 'clear' } : { do: 'nothing' }
  if (belonging === 'unknown')
    return isStale() ? clearAfterGrace(snapshot, snapshot.since) : { do: 'nothing' }
  if (snapshot.selection === 'excluded') {
    const lostAddressGraceMs = Math.min(excludedGraceMs, snapshot.lostAddressGraceMs)
    return isStale()
      ? clearAfterGrace({ ...snapshot, lostAddressGraceMs }, snapshot.since)
      : { do: 'nothing' }
  }
  if (entry === undefined || snapshot.selection === 'unknown') return { do: 'nothing' }
  if (entry.addresses.length === 0)
    return isStale() ? clearAfterGrace(snapshot, later(entry.lostSince, snapshot.since)) : { do: 'nothing' }
  return addressesEqual(entry.addresses, current)
    ? { do: 'nothing' }
    : { do: 'write', addresses: entry.addresses }
}

/** An Ingress that has just come keeps what it brought, however long its new controller has had no address. */
function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.max(one, other)
}

function clearAfterGrace({ now, lostAddressGraceMs }: IngressSnapshot, since: number = now): AddressDecision {
  if (lostAddressGraceMs === Number.POSITIVE_INFINITY) return { do: 'nothing' }
  const until = since + lostAddressGraceMs
  return now < until ? { do: 'wait', until } : { do: 'clear' }
}

/** Whether the address that stands there was written under this name, and by no other manager since. */
export function isOwnedBy(manager: string, ingress: Cached<Ingress>): boolean {
  return fieldsOwnedBy(manager, ingress, 'status').in('status').in('loadBalancer').has('ingress')
}
