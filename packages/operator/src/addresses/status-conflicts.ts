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

/** For so long another client's address is left alone. */
const backOffMs = 5 * 60_000

/** Counts how often another client overwrites our addresses, so that two controllers of one class do not fight for ever. */
export class StatusConflicts {
  readonly #conflicts = new Map<Key, WriteConflict>()
  readonly #ourName: string

  /** @param ourName the field manager under which we write */
  constructor(ourName: string) {
    this.#ourName = ourName
  }

  /** An address that no other manager has written ends a conflict. */
  note(key: Key, ingress: Cached<Ingress>): void {
    if (this.conflictingManager(ingress) === undefined) this.#conflicts.delete(key)
  }

  /** How long to wait before writing to this Ingress; 0 unless another client keeps overwriting the address. */
  pauseBefore(key: Key, ingress: Cached<Ingress>, now: Date): number {
    const conflict = this.#conflicts.get(key)
    if (conflict === undefined || this.conflictingManager(ingress) === undefined) return 0
    const until = isContested(conflict) ? windowEnd(conflict, backOffMs, now) : undefined
    return until === undefined ? 0 : until.getTime() - now.getTime()
  }

  wrote(key: Key, now: Date): void {
    this.#conflicts.set(key, countWrite(this.#conflicts.get(key), now))
  }

  forget(key: Key): void {
    this.#conflicts.delete(key)
  }

  forgetAll(): void {
    this.#conflicts.clear()
  }

  /** The field manager that wrote the present address, if not ours. */
  conflictingManager(ingress: Cached<Ingress>): string | undefined {
    const managers = (ingress.metadata.managedFields ?? []).flatMap(({ manager }) => manager ?? [])
    return managers.find((manager) => manager !== this.#ourName && isOwnedBy(manager, ingress))
  }
}
