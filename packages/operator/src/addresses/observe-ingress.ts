import type { Cached, Clock, Key } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { type AddressBook, type Entry, publishedService } from './address-book.ts'
import type { IngressSnapshot } from './decide-ingress.ts'
import type { Assignment, IngressAssignments } from './ingress-assignments.ts'
import { belongingOf, classOf } from './ingress-class.ts'
import type { Selections } from './selections.ts'
import type { AddressSettings } from './settings.ts'
import type { Selection } from './shard.ts'
import type { Caches } from './watched-kinds.ts'

/** What the address of one Ingress is decided by, as it is now. */
export interface ObservedIngress {
  readonly snapshot: IngressSnapshot
  /** Whose it is, if it is an IngressController's of ours. */
  readonly controller: string | undefined
  readonly selection: Selection
  readonly assignment: Assignment
}

export interface IngressObservers {
  readonly caches: Caches
  readonly book: AddressBook
  readonly settings: AddressSettings
  readonly clock: Clock
  readonly selections: Selections
  readonly assignments: IngressAssignments
  /** The field manager under which addresses are written; see `addressManager`. */
  readonly manager: string
}

/** Collects all that one decision needs. It keeps no state, and may be called any number of times. */
export function observeIngress(
  key: Key,
  ingress: Cached<Ingress>,
  { caches, book, settings, clock, selections, assignments, manager }: IngressObservers,
): ObservedIngress {
  const now = clock.monotonic()
  const belonging = belongingOf(ingress, (name) => caches.classes.get(name), settings)
  const controller = typeof belonging === 'object' ? belonging.to : undefined
  const selection = selections.of(ingress, controller)
  const assignment = assignments.of(key, belonging, selection, now)
  return {
    snapshot: {
      now,
      ingress,
      manager,
      belonging,
      entry: controller === undefined ? undefined : entryOf(controller, ingress, book, settings),
      selection: selection.is,
      since: assignment.since,
      lostAddressGraceMs: settings.lostAddressGraceMs,
    },
    controller,
    selection,
    assignment,
  }
}

/** Addresses from the settings come before those that are observed. */
function entryOf(
  controller: string,
  ingress: Cached<Ingress>,
  book: AddressBook,
  { classAddresses, staticAddresses, publishService }: AddressSettings,
): Entry | undefined {
  const given = classAddresses.get(classOf(ingress) ?? '') ?? staticAddresses
  if (given.length > 0) return { addresses: given, lostSince: undefined }
  return book.get(publishService === undefined ? controller : publishedService)
}
