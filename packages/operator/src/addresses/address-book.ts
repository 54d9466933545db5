import { type Clock, isSameJson, type Key } from '@portcullis/kube'
import { type Address, addressesEqual } from './address.ts'
import type { Shard } from './shard.ts'

/** Where a controller is reached, as far as is known. */
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

/** Changes that come in quick succession are told as one: an address that comes back in this time was never away. */
const settlesAfterMs = 50

/** Where each controller is reached. Filled by who knows, read by who tells. */
export class AddressBook {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #told = new Map<string, Entry>()
  readonly #changedAt = new Map<string, number>()
  readonly #listeners = new Set<(controller: string) => void>()
  /** By controller: the Ingresses whose address somebody else keeps overwriting, and who. */
  readonly #contested = new Map<string, Map<Key, string>>()
  readonly #contestListeners = new Set<(controller: string) => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(controller: string): Entry | undefined {
    return this.#told.get(controller)
  }

  /** Since when there is no address, the book remembers. */
  set(controller: string, { addresses, ...more }: Omit<Entry, 'lostSince'>): void {
    const lostBefore = this.#entries.get(controller)?.lostSince
    const lostSince = addresses.length > 0 ? undefined : (lostBefore ?? this.#clock.monotonic())
    this.#entries.set(controller, { addresses, lostSince, ...more })
    this.#settle(controller)
  }

  /** Nobody asks for this controller any more, and none of that name is there. */
  forget(controller: string): void {
    this.#entries.delete(controller)
    this.#settle(controller)
  }

  /** Forgets everything: what was true when this process last led may not be true any more. */
  clear(): void {
    for (const map of [this.#entries, this.#told, this.#changedAt, this.#contested]) map.clear()
  }

  /** Calls back with the name of each controller whose addresses have changed. */
  subscribe(listener: (controller: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Notes that somebody keeps writing over the address of an Ingress; or, without a rival, that it is over. */
  setConflict(controller: string, ingress: Key, rival: string | undefined): void {
    const contests = this.#contested.get(controller) ?? new Map<Key, string>()
    if (contests.get(ingress) === rival) return
    if (rival === undefined) contests.delete(ingress)
    else contests.set(ingress, rival)
    if (contests.size === 0) this.#contested.delete(controller)
    else this.#contested.set(controller, contests)
    for (const listener of this.#contestListeners) listener(controller)
  }

  /** The Ingress is gone, or somebody else's. */
  clearConflicts(ingress: Key): void {
    for (const controller of this.#contested.keys()) this.setConflict(controller, ingress, undefined)
  }

  /** As they are now: what is noted later does not change them. */
  conflictsOf(controller: string): ReadonlyMap<Key, string> {
    return new Map(this.#contested.get(controller))
  }

  subscribeToConflicts(listener: (controller: string) => void): () => void {
    this.#contestListeners.add(listener)
    return () => this.#contestListeners.delete(listener)
  }

  /** Milliseconds since the addresses last changed, for what was there before; undefined for what has come since. */
  lagOf(controller: string, created: Date): number | undefined {
    const changedAt = this.#changedAt.get(controller)
    const lag = changedAt === undefined ? undefined : this.#clock.monotonic() - changedAt
    return lag !== undefined && created.getTime() < this.#clock.now().getTime() - lag ? lag : undefined
  }

  /** The first address is told at once: there is nothing that it could flap from. */
  #settle(controller: string): void {
    if (this.#told.get(controller) === undefined) this.#tell(controller)
    else this.#clock.after(settlesAfterMs, () => this.#tell(controller))
  }

  #tell(controller: string): void {
    const [before, now] = [this.#told.get(controller), this.#entries.get(controller)]
    if (now === undefined) this.#told.delete(controller)
    else this.#told.set(controller, now)
    if (isSame(before, now)) return
    if (now === undefined) this.#changedAt.delete(controller)
    else this.#changedAt.set(controller, this.#clock.monotonic())
    for (const listener of this.#listeners) listener(controller)
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
