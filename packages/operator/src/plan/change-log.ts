import { type Key, type Kind, keyOf } from '@portcullis/kube'
import type { Action } from '../ingress/decision.ts'

/** That something was done to an object, for whom and when. */
export interface Touch {
  readonly kind: Kind
  readonly object: { readonly metadata: { readonly namespace?: string; readonly name: string } }
  readonly controller: string
  readonly when: 'at once' | 'later' | 'when you agree'
  readonly disruption: Action['disruption']
}

/** Everything that was done, by object, in the order in which objects were first touched. */
export class Touches {
  readonly #byObject = new Map<Key, Touch[]>()

  add(touch: Touch): void {
    const key = `${touch.kind.kind} ${keyOf(touch.object.metadata)}`
    this.#byObject.set(key, [...(this.#byObject.get(key) ?? []), touch])
  }

  byObject(): Iterable<readonly [Touch, ...Touch[]]> {
    return this.#byObject.values() as Iterable<readonly [Touch, ...Touch[]]>
  }
}
