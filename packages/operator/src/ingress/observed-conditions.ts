import type { Clock, Key } from '@portcullis/kube'
import { type Condition, transitionKey } from './conditions/summary-conditions.ts'

/**
 * Remembers since when this process has seen the conditions of controllers as they are. Their own times may have been
 * written by a machine with another clock; and ours may have been set since.
 */
export class ObservedConditions {
  readonly #clock: Clock
  readonly #controllers = new Map<Key, ReadonlyMap<string, number>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What is seen now for the first time counts from now. */
  note(controller: Key, conditions: readonly Condition[] = []): void {
    const before = this.#controllers.get(controller)
    const now = this.#clock.monotonic()
    const sights = conditions.map(transitionKey)
    this.#controllers.set(controller, new Map(sights.map((sight) => [sight, before?.get(sight) ?? now])))
  }

  /** Since when each has been seen, as our own clock has it now. */
  of(controller: Key): ReadonlyMap<string, Date> {
    const offset = this.#clock.now().getTime() - this.#clock.monotonic()
    const sights = this.#controllers.get(controller) ?? new Map<string, number>()
    return new Map([...sights].map(([sight, at]) => [sight, new Date(offset + at)]))
  }

  forget(controller: Key): void {
    this.#controllers.delete(controller)
  }
}
