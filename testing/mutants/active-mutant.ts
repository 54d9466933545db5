/** Which mutant has an effect now, and which ones came by. */
export class ActiveMutant {
  #active: number | undefined
  #reached = new Set<number>()
  #visits = 0
  #mostVisits = Number.POSITIVE_INFINITY

  constructor(active: number | undefined) {
    this.#active = active
  }

  readonly isMutant = (id: number): boolean => {
    this.#reached.add(id)
    if (++this.#visits > this.#mostVisits) throw new Error('It goes on and on.')
    return id === this.#active
  }

  /** What has been reached since the last time that this was asked, and how often anything was. */
  take(): { readonly reached: ReadonlySet<number>; readonly visits: number } {
    const taken = { reached: this.#reached, visits: this.#visits }
    this.#reached = new Set()
    this.#visits = 0
    return taken
  }

  /** Lets one mutant have an effect; what it does must end after so many visits. */
  activate(id: number, mostVisits: number): void {
    this.#active = id
    this.#visits = 0
    this.#mostVisits = mostVisits
  }

  deactivate(): void {
    this.#active = undefined
    this.#mostVisits = Number.POSITIVE_INFINITY
  }
}
