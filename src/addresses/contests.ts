import type { Ingress } from 'kubernetes-types/networking/v1'
import { fieldsOwnedBy } from '../kube/managed-fields.ts'
import type { Key } from '../kube/objects.ts'
import type { Stored } from '../kube/store.ts'
import { addressManager } from './decide-ingress.ts'

/** So often we write over another's address before we stand back. */
const rounds = 5
const standBackMs = 5 * 60_000

/** Keeps count of who writes over our addresses, so that two controllers of one class do not fight for ever. */
export class Contests {
  readonly #written = new Map<Key, number>()

  /** How long to wait before writing to this Ingress; 0 unless somebody keeps writing over us. */
  pauseBefore(key: Key, ingress: Stored<Ingress>): number {
    const times = this.#written.get(key) ?? 0
    if (times === 0 || this.rivalOf(ingress) === undefined) {
      this.#written.delete(key)
      return 0
    }
    if (times < rounds) return 0
    this.#written.delete(key)
    return standBackMs
  }

  wrote(key: Key): void {
    this.#written.set(key, (this.#written.get(key) ?? 0) + 1)
  }

  forget(key: Key): void {
    this.#written.delete(key)
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
