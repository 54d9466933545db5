import type { Registry } from 'prom-client'
import type { Clock } from '../clock.ts'

const freshForMs = 1_000

/** The text of `/metrics`: read once at a time, and at most once a second, however many ask. */
export class Scrape {
  readonly #registry: Pick<Registry, 'metrics'>
  readonly #clock: Pick<Clock, 'monotonic'>
  #latest: { readonly text: Promise<string>; readonly at: number; isRunning: boolean } | undefined

  constructor(registry: Pick<Registry, 'metrics'>, clock: Pick<Clock, 'monotonic'>) {
    this.#registry = registry
    this.#clock = clock
  }

  read(): Promise<string> {
    const now = this.#clock.monotonic()
    if (this.#latest?.isRunning || (this.#latest !== undefined && now - this.#latest.at < freshForMs))
      return this.#latest.text
    const text = this.#registry.metrics()
    const latest = { text, at: now, isRunning: true }
    const end = () => void (latest.isRunning = false)
    // After a failure, the next second may have more luck.
    text.then(end, end)
    this.#latest = latest
    return text
  }
}
