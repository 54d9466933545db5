/** How much has happened between operators and the API server, and who waits for more of it. */
export class Traffic {
  requests = 0
  /** When a request was last sent, or one that hung was over. */
  lastRequestAt = 0
  /** Lines of watches. */
  events = 0
  reconciles = 0
  /** Requests that hang, and watches that are silent: until they have ended, the simulation is not quiescent. */
  pending = 0
  readonly #afterReconciles: Waiting[] = []
  readonly #afterWrites: (Waiting & { readonly operator: string })[] = []

  reconciled(): void {
    this.reconciles++
    for (const waiting of this.#afterReconciles) countDown(waiting)
  }

  wrote(operator: string): void {
    for (const waiting of this.#afterWrites) if (waiting.operator !== operator) countDown(waiting)
  }

  /** Calls back once so many more reconciles have ended. */
  afterReconciles(count: number, callback: () => void): void {
    this.#afterReconciles.push({ count, callback })
  }

  /** Calls back once others than this operator have written so often. */
  afterWritesOfOthers(operator: string, count: number, callback: () => void): void {
    this.#afterWrites.push({ operator, count, callback })
  }
}

interface Waiting {
  count: number
  readonly callback: () => void
}

function countDown(waiting: Waiting): void {
  if (--waiting.count === 0) waiting.callback()
}
