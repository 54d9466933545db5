import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { createVitest } from 'vitest/node'
import { instrument, type Mutant } from './mutate.ts'
import type { Order } from './runner.ts'

/** Test files are run again and again, with everything that they load as it is, but for the mutants. */
export class Session {
  readonly #vitest: Vitest
  readonly #results: Results

  private constructor(vitest: Vitest, results: Results) {
    this.#vitest = vitest
    this.#results = results
  }

  static async of(mutants: readonly Mutant[]): Promise<Session> {
    const instrumented = new Map(
      [...new Set(mutants.map(({ file }) => file))].map((file) => {
        const own = mutants.filter((mutant) => mutant.file === file)
        return [resolve(file), instrument(readFileSync(file, 'utf8'), own)]
      }),
    )
    const results = new Results()
    const vitest = await createVitest(
      'test',
      {
        config: false,
        watch: false,
        include: ['**/*.test.ts'],
        runner: resolve('testing/mutants/runner.ts'),
        reporters: [results],
        maxWorkers: 1,
        silent: true,
        testTimeout: 60_000,
        dangerouslyIgnoreUnhandledErrors: true,
      },
      {
        plugins: [
          {
            name: 'mutants',
            enforce: 'pre',
            transform(_code: string, id: string) {
              const code = instrumented.get(id.split('?')[0] ?? '')
              return code === undefined ? null : { code, map: null }
            },
          },
        ],
      },
    )
    return new Session(vitest, results)
  }

  /** Runs test files in this order. */
  async run(files: readonly string[], order: Order): Promise<Results> {
    this.#vitest.provide('mutants', order)
    this.#vitest.config.bail = order.always === undefined ? 0 : 1
    this.#results.clear()
    const project = this.#vitest.getRootProject()
    const specifications = files.map((file) => project.createSpecification(resolve(file)))
    await this.#vitest.runTestSpecifications(specifications, false)
    return this.#results
  }

  async close(): Promise<void> {
    await this.#vitest.close()
  }
}

/** What came of one run. */
class Results implements Reporter {
  reached = new Set<number>()
  reachedByLoading = new Set<number>()
  killed = new Set<number>()
  /** How many tests have tried a mutant. */
  tried = new Map<number, number>()
  spoilt: string[] = []
  failed: string[] = []
  slow = 0

  clear(): void {
    Object.assign(this, new Results())
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') this.failed.push(test.fullName)
    const mutants = test.meta().mutants
    if (mutants === undefined) return
    for (const id of mutants.reached) this.reached.add(id)
    for (const id of mutants.killed) this.killed.add(id)
    for (const id of mutants.tried) this.tried.set(id, (this.tried.get(id) ?? 0) + 1)
    if (mutants.isSlow) this.slow++
    if (mutants.isSpoilt) this.spoilt.push(test.fullName)
  }

  onTestModuleEnd(module: TestModule): void {
    for (const id of module.meta().reachedByLoading ?? []) this.reachedByLoading.add(id)
    if (module.errors().length > 0) this.failed.push(module.relativeModuleId)
  }
}

export type { Results }
