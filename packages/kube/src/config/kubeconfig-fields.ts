import { type ConfigLocation, fieldOf, itemOf, type Problems } from './kubeconfig-error.ts'

export type Mapping = Readonly<Record<string, unknown>>

/**
 * Reads the fields of one mapping as the types that they must have. What does not fit is reported with its location
 * and reads as absent. As in kubectl, null and the empty text mean "not set".
 */
export class Fields {
  readonly location: ConfigLocation
  readonly #values: Mapping
  readonly #problems: Problems

  constructor(location: ConfigLocation, values: Mapping, problems: Problems) {
    this.location = location
    this.#values = values
    this.#problems = problems
  }

  text(name: string): string | undefined {
    const value = this.raw(name)
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    const hint = typeof value === 'object' ? '' : '; put it in quotes'
    this.problem(name, `must be text, but is ${typeInWords(value)}${hint}`)
    return undefined
  }

  flag(name: string): boolean {
    const value = this.raw(name)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    this.problem(name, `must be true or false, but is ${typeInWords(value)}`)
    return false
  }

  texts(name: string): readonly string[] {
    return this.#list(name).flatMap((item, index) => {
      if (typeof item === 'string') return [item]
      this.#problems.add(itemOf(this.at(name), index), `must be text, but is ${typeInWords(item)}`)
      return []
    })
  }

  mapping(name: string): Fields | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    if (isMapping(value)) return new Fields(this.at(name), value, this.#problems)
    this.problem(name, `must be a mapping, but is ${typeInWords(value)}`)
    return undefined
  }

  mappings(name: string): readonly Fields[] {
    return this.#list(name).flatMap((item, index) => {
      const location = itemOf(this.at(name), index)
      if (isMapping(item)) return [new Fields(location, item, this.#problems)]
      this.#problems.add(location, `must be a mapping, but is ${typeInWords(item)}`)
      return []
    })
  }

  names(): readonly string[] {
    return Object.keys(this.#values)
  }

  /** The value as it stands in the file; undefined for null as well. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined
  }

  at(name: string): ConfigLocation {
    return fieldOf(this.location, name)
  }

  problem(name: string, what: string): void {
    this.#problems.add(this.at(name), what)
  }

  #list(name: string): readonly unknown[] {
    const value = this.raw(name)
    if (value === undefined) return []
    if (Array.isArray(value)) return value
    this.problem(name, `must be a list, but is ${typeInWords(value)}`)
    return []
  }
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names the type only: the value may be a secret. */
export function typeInWords(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  return { string: 'text', boolean: 'a boolean' }[typeof value as string] ?? 'a number'
}
