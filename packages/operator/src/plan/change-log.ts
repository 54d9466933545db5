import { type Key, type Kind, keyOf } from '@portcullis/kube'
import type { Action } from '../ingress/decision.ts'

/** That something was done to an object, for whom and when. */
export interface LoggedChange {
  readonly kind: Kind
  readonly object: { readonly metadata: { readonly namespace?: string; readonly name: string } }
  readonly controller: string
  readonly when: 'at once' | 'later' | 'when you agree'
  readonly disruption: Action['disruption']
}

/** Everything that was done, by object, in the order in which objects were first touched. */
export class ChangeLog {
  readonly #byObject = new Map<Key, LoggedChange[]>()

  add(change: LoggedChange): void {
    const key = `${change.kind.kind} ${keyOf(change.object.metadata)}`
    this.#byObject.set(key, [...(this.#byObject.get(key) ?? []), change])
  }

  byObject(): Iterable<readonly [LoggedChange, ...LoggedChange[]]> {
    return this.#byObject.values() as Iterable<readonly [LoggedChange, ...LoggedChange[]]>
  }
}
