import { type Clock, isSameJson, type Key } from '@portcullis/kube'
import { type Address, addressesEqual } from './address.ts'
import type { Shard } from './shard.ts'

/** Stands for the one Service by whose addresses all Ingresses are reached, where the settings name one. */
export const publishedService: unique symbol = Symbol('published Service')

/** Whose addresses are meant: an IngressController's, by its name, or the published Service's. */
export type AddressSource = string | typeof publishedService

/** Where a controller, or the published Service, is reached, as far as is known. */
export interface Entry {
  readonly addresses: readonly Address[]
  /**
   * Since when this process has seen it without an address, by the clock that never jumps; undefined while it has one.
   * What other machines wrote down about it is not believed: their clocks may be hours off, and so may ours.
   */
  readonly lostSince: number | undefined
  /** There is no such controller, or no more. */
  readonly isGone?: true
  /** Which Ingresses its routers serve; all unless given. */
  readonly shard?: Shard
}

/** Changes in quick succession are published as one: an address that comes back in this time was never away. */
const settlesAfterMs = 50

/** Where each controller is reached. The reconciler of IngressControllers fills it, the address writer reads it. */
export class AddressBook {
  readonly #clock: Clock
  readonly #entries = new Map<AddressSource, Entry>()
  /** What listeners were last called back about: changes in quick succession are one. */
  readonly #settled = new Map<AddressSource, Entry>()
  readonly #changedAt = new Map<AddressSource, number>()
  readonly #listeners = new Set<(source: AddressSource) => void>()
  /** By controller: the Ingresses whose address another field manager keeps overwriting, and which; empty if unknown. */
  readonly #conflicts = new Map<string, Map<Key, string>>()
  readonly #conflictListeners = new Set<(controller: string) => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(source: AddressSource): Entry | undefined {
    return this.#settled.get(source)
  }

  /** Since when there has been no address, the book finds out itself. */
  set(source: AddressSource, { addresses, ...more }: Omit<Entry, 'lostSince'>): void {
    const lostBefore = this.#entries.get(source)?.lostSince
    const lostSince = addresses.length > 0 ? undefined : (lostBefore ?? this.#clock.monotonic())
    this.#entries.set(source, { addresses, lostSince, ...more })
    this.#settle(source)
  }

  /** The controller does not exist, and no class refers to it. */
  forget(controller: string): void {
    this.#entries.delete(controller)
    this.#settle(controller)
  }

  /** Forgets everything: what was true when this process last led may not be true any more. */
  clear(): void {
    for (const map of [this.#entries, this.#settled, this.#changedAt, this.#conflicts]) map.clear()
  }

  /** Calls back with each source whose addresses have changed. */
  subscribe(listener: (source: AddressSource) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Another field manager keeps overwriting the address of an Ingress; or, without one, no longer does. */
  setConflict(controller: string, ingress: Key, manager: string | undefined): void {
    const conflicts = this.#conflicts.get(controller) ?? new Map<Key, string>()
    if (conflicts.get(ingress) === manager) return
    if (manager === undefined) conflicts.delete(ingress)
    else conflicts.set(ingress, manager)
    if (conflicts.size === 0) this.#conflicts.delete(controller)
    else this.#conflicts.set(controller, conflicts)
    for (const listener of this.#conflictListeners) listener(controller)
  }

  /** No other manager overwrites its address any more, or it is deleted. */
  clearConflicts(ingress: Key): void {
    for (const controller of this.#conflicts.keys()) this.setConflict(controller, ingress, undefined)
  }

  /** A copy: later conflicts do not change it. */
  conflictsOf(controller: string): ReadonlyMap<Key, string> {
    return new Map(this.#conflicts.get(controller))
  }

  subscribeToConflicts(listener: (controller: string) => void): () => void {
    this.#conflictListeners.add(listener)
    return () => this.#conflictListeners.delete(listener)
  }

  /** Milliseconds since the addresses last changed, for what was there before; undefined for what has come since. */
  lagOf(source: AddressSource, created: Date): number | undefined {
    const changedAt = this.#changedAt.get(source)
    const lag = changedAt === undefined ? undefined : this.#clock.monotonic() - changedAt
    return lag !== undefined && created.getTime() < this.#clock.now().getTime() - lag ? lag : undefined
  }

  /** The first address is published at once: there is nothing that it could flap from. */
  #settle(source: AddressSource): void {
    if (this.#settled.get(source) === undefined) this.#publish(source)
    else this.#clock.after(settlesAfterMs, () => this.#publish(source))
  }

  #publish(source: AddressSource): void {
    const [before, now] = [this.#settled.get(source), this.#entries.get(source)]
    if (now === undefined) this.#settled.delete(source)
    else this.#settled.set(source, now)
    if (isSame(before, now)) return
    if (now === undefined) this.#changedAt.delete(source)
    else this.#changedAt.set(source, this.#clock.monotonic())
    for (const listener of this.#listeners) listener(source)
  }
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.isGone === other.isGone &&
    one.lostSince === other.lostSince &&
    isSameJson(one.shard ?? {}, other.shard ?? {}) &&
    addressesEqual(one.addresses, other.addresses)
  )
}
