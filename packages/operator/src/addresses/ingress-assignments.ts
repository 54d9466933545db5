import type { Key } from '@portcullis/kube'
import type { Belonging } from './ingress-class.ts'
import type { Selection } from './shard.ts'

interface Assignment {
  /** In words, to be compared. */
  readonly to: string
  /** Since when, by the monotonic clock; undefined where it was so when it was first seen. */
  readonly since: number | undefined
  /** It was there when the term began, and no controller has been known to select it since. */
  readonly predatesTerm: boolean
}

/**
 * To which controller each Ingress is assigned, and since when. One that has moved, or that its controller selects no more,
 * keeps its address for a grace from then on.
 */
export class IngressAssignments {
  readonly #assignments = new Map<Key, Assignment>()
  #hasTermBegun = false

  /** @returns since when it has been assigned so; undefined where that was so at first sight */
  note(key: Key, belonging: Belonging, selection: Selection, now: number): number | undefined {
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
    if (before?.to !== to || before.predatesTerm !== predatesTerm)
      this.#assignments.set(key, { to, since, predatesTerm })
    return since
  }

  /** Whether it has been as it is since before the term: nobody needs to be told of that at every change of leaders. */
  predatesTerm(key: Key): boolean {
    return this.#assignments.get(key)?.predatesTerm ?? false
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
