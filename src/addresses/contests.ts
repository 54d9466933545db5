import type { Ingress } from 'kubernetes-types/networking/v1'
import type { Key } from '../kube/objects.ts'
import type { Stored } from '../kube/store.ts'
import { isOwnedBy } from './decide-ingress.ts'

/** So often we write over another's address before we stand back. */
const rounds = 5
const standBackMs = 5 * 60_000

interface Contest {
  readonly writes: number
  /** We stand back until then. */
  readonly until: Date | undefined
}

/** Keeps count of who writes over our addresses, so that two controllers of one class do not fight for ever. */
export class Contests {
  readonly #contests = new Map<Key, Contest>()
  readonly #ourName: string

  /** @param ourName the field manager under which we write */
  constructor(ourName: string) {
    this.#ourName = ourName
  }

  /** How long to wait before writing to this Ingress; 0 unless somebody keeps writing over us. */
  pauseBefore(key: Key, ingress: Stored<Ingress>, now: Date): number {
    const { writes = 0, until } = this.#contests.get(key) ?? {}
    if (writes === 0) return 0
    if (this.rivalOf(ingress) === undefined) {
      this.#contests.delete(key)
      return 0
    }
    if (writes < rounds) return 0
    if (until !== undefined && until <= now) {
      this.#contests.delete(key)
      return 0
    }
    const end = until ?? new Date(now.getTime() + standBackMs)
    this.#contests.set(key, { writes, until: end })
    return end.getTime() - now.getTime()
  }

  wrote(key: Key): void {
    this.#contests.set(key, { writes: (this.#contests.get(key)?.writes ?? 0) + 1, until: undefined })
  }

  forget(key: Key): void {
    this.#contests.delete(key)
  }

  forgetAll(): void {
    this.#contests.clear()
  }

  /** Who wrote the address that stands there, if not us. */
  rivalOf(ingress: Stored<Ingress>): string | undefined {
    const managers = (ingress.metadata.managedFields ?? []).map(({ manager = '' }) => manager)
    return managers.find((manager) => manager !== this.#ourName && isOwnedBy(manager, ingress))
  }
}
