import { type Key, keyOf, type ObjectRef } from '@portcullis/kube'
import type { LogLine } from './pod-status.ts'

export interface LogQuestion {
  /** The only one, or the first, unless given. */
  readonly container?: string | undefined
  /** Of the run before the present one. */
  readonly previous?: boolean | undefined
}

/** What containers have said, for `kubectl logs`. Kept in memory, and only the last two runs, as on a real node. */
export class PodLogs {
  readonly #lines = new Map<Key, LogLine[]>()

  add(pod: ObjectRef, lines: readonly LogLine[]): void {
    if (lines.length === 0) return
    const key = keyOf(pod)
    const all = [...(this.#lines.get(key) ?? []), ...lines]
    const latest = new Map(all.map(({ container, run }) => [container, run]))
    this.#lines.set(
      key,
      all.filter(({ container, run }) => run >= (latest.get(container) ?? 0) - 1),
    )
  }

  forget(pod: Key): void {
    this.#lines.delete(pod)
  }

  /** The text, each line ended; undefined when there is no such pod, container or run. */
  logsOf(pod: ObjectRef, { container, previous = false }: LogQuestion = {}): string | undefined {
    const all = this.#lines.get(keyOf(pod))
    const name = container ?? all?.[0]?.container
    const ofContainer = all?.filter((line) => line.container === name)
    const latest = ofContainer?.at(-1)?.run
    if (ofContainer === undefined || latest === undefined) return undefined
    const wanted = ofContainer.filter(({ run }) => run === (previous ? latest - 1 : latest))
    return wanted.length === 0 ? undefined : wanted.map(({ text }) => `${text}\n`).join('')
  }
}
