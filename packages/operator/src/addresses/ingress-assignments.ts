import type { Key } from '@portcullis/kube'
import type { Belonging } from './ingress-class.ts'
import type { Selection } from './shard.ts'

export interface Assignment {
  /** To what, as a text that can be compared. */
  readonly to: string
  /** Since when, by the monotonic clock; undefined where it was so when it was first seen. */
  readonly since: number | undefined
  /**
   * It existed when the term began, and no controller has been known to select it since: no event about that is needed at
   * every change of leaders.
   */
  readonly predatesTerm: boolean
}

/**
 * To which controller each Ingress is assigned, and since when. One that has moved, or that its controller selects no more,
 * keeps its address for a grace from then on.
 */
export class IngressAssignments {
  readonly #assignments = new Map<Key, Assignment>()
  #hasTermBegun = false

  /** How it is assigned, given what is noted of it. Notes nothing itself. */
  of(key: Key, belonging: Belonging, selection: Selection, now: number): Assignment {
    const isExcluded = selection.is === 'excluded'
    const to =
      typeof belonging === 'object'
        ? `${isExcluded ? 'excluded by' : 'selected by'} controller ${belonging.to}`
        : belonging
    const before = this.#assignments.get(key)
    const predatesTerm = (before?.predatesTerm ?? !this.#hasTermBegun) && selection.is !== 'selected'
    const isFirstSight = before === undefined && belonging !== 'unknown' && !isExcluded
    const sinceNow = isFirstSight ? undefined : now
    const since = before?.to === to ? before.since : sinceNow
    return { to, since, predatesTerm }
  }

  note(key: Key, assignment: Assignment): void {
    const before = this.#assignments.get(key)
    if (before?.to !== assignment.to || before.predatesTerm !== assignment.predatesTerm)
      this.#assignments.set(key, assignment)
  }

  forget(key: Key): void {
    this.#assignments.delete(key)
  }

  /** What was true when this process last led may not be true any more. */
  reset(): void {
    this.#assignments.clear()
    this.#hasTermBegun = false
  }

  /** Everything that was there has been seen: what comes from now on is new. */
  beginTerm(): void {
    this.#hasTermBegun = true
  }
}
