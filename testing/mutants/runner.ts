import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import { inject, type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest'
import { ActiveMutant } from './active-mutant.ts'

/** What is asked of one run of test files. */
export interface Order {
  /** Mutants that are still to be tried. */
  readonly alive: readonly number[]
  /** Tests that take longer are not tried: there are enough quick ones. */
  readonly slowMs: number
  /** One mutant that has its effect from the beginning, also while modules are loaded; no other is tried then. */
  readonly always?: number | undefined
}

/** The report of one test. */
export interface TestReport {
  readonly reached: readonly number[]
  readonly tried: readonly number[]
  readonly killed: readonly number[]
  readonly isSlow: boolean
  /** Whether it fails by itself after the mutants, so that nothing it said counts. */
  readonly isSpoilt: boolean
}

declare module 'vitest' {
  interface ProvidedContext {
    mutants: Order
  }
  interface TaskMeta {
    mutants?: TestReport
    /** Of a file: what is reached while it is loaded. */
    reachedByLoading?: readonly number[]
  }
}

/** Endless loops pass by some mutant again and again. */
const mostVisits = (usual: number) => 100 * usual + 100_000

/** Runs each test as it is, and then again with each mutant that it reaches, in the same process. */
// oxlint-disable-next-line import/no-default-export -- Vitest asks for it.
export default class MutantRunner extends TestRunner {
  readonly #order = inject('mutants')
  readonly #alive = new Set(this.#order.alive)
  readonly #activeMutant = new ActiveMutant(this.#order.always)

  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args)
    Object.assign(globalThis, { __isMutant: this.#activeMutant.isMutant })
    // The same examples every time; and that one fails is enough.
    fc.configureGlobal({ seed: 1, endOnFailure: true })
  }

  onCollected(files: RunnerTestFile[]): void {
    const { reached } = this.#activeMutant.take()
    for (const { meta } of files) meta.reachedByLoading = [...reached]
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test)
    setMaxListeners(0, test.context.signal) // Every run adds one.
    const began = performance.now()
    await run()
    const tookMs = performance.now() - began
    const { reached, visits } = this.#activeMutant.take()
    if (this.#order.always !== undefined) return
    const isSlow = tookMs > this.#order.slowMs
    const toTry = isSlow ? [] : [...reached].filter((id) => this.#alive.has(id))
    const killed: number[] = []
    for (const id of toTry) {
      this.#activeMutant.activate(id, mostVisits(visits))
      if (!(await passes(run, tookMs))) killed.push(id)
      this.#activeMutant.deactivate()
    }
    const isSpoilt = killed.length > 0 && !(await passes(run, tookMs))
    this.#activeMutant.take()
    if (!isSpoilt) for (const id of killed) this.#alive.delete(id)
    test.meta.mutants = {
      reached: [...reached],
      tried: toTry,
      killed: isSpoilt ? [] : killed,
      isSlow,
      isSpoilt,
    }
  }
}

async function passes(run: () => unknown, tookMs: number): Promise<boolean> {
  const stop = new AbortController()
  const late = pause(2_000 + 5 * tookMs, false, { signal: stop.signal }).catch(() => false)
  const result = Promise.resolve()
    .then(run)
    .then(
      () => true,
      () => false,
    )
  const isPassed = await Promise.race([result, late])
  stop.abort()
  return isPassed
}
