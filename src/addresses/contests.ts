import type { Ingress } from 'kubernetes-types/networking/v1'
import { fieldsOwnedBy } from '../kube/managed-fields.ts'
import type { Key } from '../kube/objects.ts'
import type { Stored } from '../kube/store.ts'
import { addressManager } from './decide-ingress.ts'

/** So often we write over another's address before we stand back. */
const rounds = 5
const standBackMs = 5 * 60_000

type Act = 'write' | 'clear'

interface Contest {
  readonly writes: number
  /** What we did last. */
  readonly act: Act
  /** We stand back until then. */
  readonly until: Date | undefined
}

/** Keeps count of who writes over our addresses, so that two controllers of one class do not fight for ever. */
export class Contests {
  readonly #contests = new Map<Key, Contest>()

  /** How long to wait before writing to this Ingress; 0 unless somebody keeps writing over us. */
  pauseBefore(act: Act, key: Key, ingress: Stored<Ingress>, now: Date): number {
    const before = this.#contests.get(key)
    // What we cleared and is there again, another Portcullis has written: under our name.
    const hasRival = this.rivalOf(ingress) !== undefined || (act === 'clear' && before?.act === 'clear')
    if (before === undefined || !hasRival) {
      this.#contests.delete(key)
      return 0
    }
    const { writes, until } = before
    if (writes < rounds) return 0
    if (until !== undefined && until <= now) {
      this.#contests.delete(key)
      return 0
    }
    const end = until ?? new Date(now.getTime() + standBackMs)
    this.#contests.set(key, { ...before, until: end })
    return end.getTime() - now.getTime()
  }

  did(act: Act, key: Key): void {
    this.#contests.set(key, { act, writes: (this.#contests.get(key)?.writes ?? 0) + 1, until: undefined })
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
    return managers.find(
      (manager) =>
        manager !== addressManager &&
        fieldsOwnedBy(manager, ingress, 'status').in('status').in('loadBalancer').has('ingress'),
    )
  }
}
