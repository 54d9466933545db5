import { RE2JS } from 're2js'

/** A regular expression of Go's kind, compiled once. */
export class Re2 {
  static readonly #known = new Map<string, Re2>()
  readonly #compiled: RE2JS

  /** Throws what re2js throws where the pattern is none. */
  static of(pattern: string): Re2 {
    let known = Re2.#known.get(pattern)
    if (known === undefined) {
      known = new Re2(RE2JS.compile(pattern))
      if (Re2.#known.size > 1000) Re2.#known.clear()
      Re2.#known.set(pattern, known)
    }
    return known
  }

  private constructor(compiled: RE2JS) {
    this.#compiled = compiled
  }

  /** Whether it matches anywhere in the text. */
  finds(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }

  /** Every match, one after the other. */
  findAll(text: string): string[] {
    const matcher = this.#compiled.matcher(text)
    const found: string[] = []
    while (matcher.find()) found.push(matcher.group() ?? '')
    return found
  }
}
