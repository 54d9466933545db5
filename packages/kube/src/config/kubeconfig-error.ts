/** Where something is written, so that a person finds it. */
export interface ConfigLocation {
  /** The file, or what stands for one: `/home/ann/.kube/config`. */
  readonly source: string
  /** The way to the field inside it: `users[2].user.token`. */
  readonly path?: string
  /** The entry that it belongs to, since list items are hard to count: `user "ann"`. */
  readonly owner?: string
}

export function fieldOf(location: ConfigLocation, name: string): ConfigLocation {
  return { ...location, path: location.path === undefined ? name : `${location.path}.${name}` }
}

export function itemOf(location: ConfigLocation, index: number): ConfigLocation {
  return { ...location, path: `${location.path ?? ''}[${index}]` }
}

/** `/home/ann/.kube/config: users[2].user.token (user "ann")` */
export function describeLocation({ source, path, owner }: ConfigLocation): string {
  const field = path === undefined ? '' : `: ${path}`
  return owner === undefined ? `${source}${field}` : `${source}${field} (${owner})`
}

/** The cluster cannot be reached as configured. Each problem names the location, what is wrong and what to do; none a secret. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.length === 1 ? problems[0] : asList(problems), options)
    this.problems = problems
  }
}

function asList(problems: readonly string[]): string {
  return [
    `The kubeconfig cannot be used; ${problems.length} things are wrong:`,
    ...problems.map((problem) => `- ${problem}`),
  ].join('\n')
}

/** Collects what is wrong, so that one error reports everything. */
export class Problems {
  readonly #found: string[] = []

  add(location: ConfigLocation, what: string): void {
    this.#found.push(`${describeLocation(location)}: ${what}`)
  }

  /** Takes over what another reader found; anything but a KubeconfigError is thrown on. */
  addError(error: unknown): void {
    if (!(error instanceof KubeconfigError)) throw error
    this.#found.push(...error.problems)
  }

  throwIfAny(): void {
    if (this.#found.length > 0) throw new KubeconfigError(this.#found)
  }

  /** What was read, if nothing was wrong with it. A reader returns undefined only after reporting why. */
  unlessAny<T>(read: T | undefined): T {
    if (read === undefined || this.#found.length > 0) throw new KubeconfigError(this.#found)
    return read
  }
}
