import {
  type Cached,
  countWrite,
  isContested,
  type Key,
  type WriteConflict,
  windowEnd,
} from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { isOwnedBy } from './decide-ingress.ts'

/** For so long we leave another's address alone. */
const standBackMs = 5 * 60_000

/** Keeps count of who writes over our addresses, so that two controllers of one class do not fight for ever. */
export class StatusConflicts {
  readonly #contests = new Map<Key, WriteConflict>()
  readonly #ourName: string

  /** @param ourName the field manager under which we write */
  constructor(ourName: string) {
    this.#ourName = ourName
  }

  /** How long to wait before writing to this Ingress; 0 unless somebody keeps writing over us. */
  pauseBefore(key: Key, ingress: Cached<Ingress>, now: Date): number {
    const contest = this.#contests.get(key)
    if (contest === undefined) return 0
    if (this.conflictingManager(ingress) === undefined) {
      this.#contests.delete(key)
      return 0
    }
    const until = isContested(contest) ? windowEnd(contest, standBackMs, now) : undefined
    return until === undefined ? 0 : until.getTime() - now.getTime()
  }

  wrote(key: Key, now: Date): void {
    this.#contests.set(key, countWrite(this.#contests.get(key), now))
  }

  forget(key: Key): void {
    this.#contests.delete(key)
  }

  forgetAll(): void {
    this.#contests.clear()
  }

  /** Who wrote the address that stands there, if not us. */
  conflictingManager(ingress: Cached<Ingress>): string | undefined {
    const managers = (ingress.metadata.managedFields ?? []).flatMap(({ manager }) => manager ?? [])
    return managers.find((manager) => manager !== this.#ourName && isOwnedBy(manager, ingress))
  }
}
