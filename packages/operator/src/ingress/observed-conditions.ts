import type { Clock, Key } from '@portcullis/kube'
import { type Condition, transitionKey } from './conditions/summary-conditions.ts'

/**
 * Keeps since when this process has observed the conditions of controllers as they are. The times in them may have been
 * written by a machine with another clock; and the clock of this one may have been set since.
 */
export class ObservedConditions {
  readonly #clock: Clock
  readonly #controllers = new Map<Key, ReadonlyMap<string, number>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A condition that is observed for the first time lasts from now on. */
  note(controller: Key, conditions: readonly Condition[] = []): void {
    const before = this.#controllers.get(controller)
    const now = this.#clock.monotonic()
    const transitions = conditions.map(transitionKey)
    this.#controllers.set(controller, new Map(transitions.map((key) => [key, before?.get(key) ?? now])))
  }

  /** Since when each has been observed, by the present time of our own clock. */
  of(controller: Key): ReadonlyMap<string, Date> {
    const offset = this.#clock.now().getTime() - this.#clock.monotonic()
    const transitions = this.#controllers.get(controller) ?? new Map<string, number>()
    return new Map([...transitions].map(([key, at]) => [key, new Date(offset + at)]))
  }

  forget(controller: Key): void {
    this.#controllers.delete(controller)
  }
}
