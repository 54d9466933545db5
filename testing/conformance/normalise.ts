const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
/** A version inside a sentence. */
const version =
  /(ResourceVersion in (?:record|precondition|the precondition) \(|too old resource version: )(\d+)( \(\d+\))?/gi
/** From the ranges that servers allocate from, and a name that a server made up. */
const address = /\b10\.96\.\d+\.\d+\b/g
const nodePort = /\b3(?:[01]\d{3}|2[0-6]\d\d|27[0-5]\d|276[0-7])\b/g
const generated = /\b(gen-\d+-)[a-z0-9]{5}\b/g
const age = /^(?:\d+[smhd]){1,2}$/

/** An object that a patch has spoilt, quoted in the middle of a sentence: its fields stand in the order of Go's structs. */
const spoilt = /(is invalid: patch: |^)Invalid value: "(?:\{|map\[)(?:[^"\\]|\\.)*"/

/** Prose of Kubernetes' own that the sandbox has in its own words, and what only the real server has. */
const ignored = new Set(['description', 'storageVersionHash'])

/**
 * Makes the answers of two servers comparable: what each chooses for itself (identities, times, versions, addresses)
 * is numbered in the order of its first appearance, so that the same thing twice is still the same thing twice.
 */
export class Normaliser {
  readonly #seen = new Map<string, Map<string, number>>()
  /** The highest version of an object that this server has returned. */
  #newest = 0

  normalise(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.normalise(item, key))
      return key === 'managedFields' ? { inOrder: isInOrder(value), items: items.sort(byManager) } : items
    }
    if (typeof value === 'object' && value !== null) {
      if (isRefusal(value)) return this.#refusal(value)
      const isCollection = 'items' in value || ('rows' in value && 'metadata' in value)
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !ignored.has(name))
          // Numbers must not depend on the order in which a server writes its fields.
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, part]) => [
            name,
            name === 'metadata' && isCollection ? this.#listMetadata(part) : this.normalise(part, name),
          ]),
      )
    }
    if (typeof value === 'number') return this.#number(value, key)
    return typeof value === 'string' ? this.#text(value, key) : value
  }

  /** Causes in an order that both servers can keep, and a message that says the same as they do. */
  #refusal({ code, reason, message, details: { causes, ...details } }: Refusal): unknown {
    const all = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))].join(', ')
    const [before = '', after] = message.split(all.length > 0 ? all : message)
    const normalised = this.normalise(after === undefined ? message : `${before}<causes>${after}`)
    // Who conflicts stands in a Go map too.
    const isConflict = reason === 'Conflict'
    const isCustom = isConflict || (details.group?.endsWith('example.com') ?? false)
    return {
      code,
      reason,
      message: normalised,
      details: this.normalise(details),
      causes: inKeptOrder(
        causes.map((cause) => ({ field: cause.field, text: JSON.stringify(this.normalise(cause)) })),
        isCustom,
      ),
    }
  }

  /**
   * A collection's version is the server's own count, which goes on with whatever else is written there: only whether
   * it is behind what has been seen can be compared.
   */
  #listMetadata(metadata: unknown): unknown {
    const { resourceVersion, ...rest } = metadata as { resourceVersion?: string }
    const known = Number(resourceVersion) >= this.#newest ? '<now>' : '<before>'
    return {
      ...(this.normalise(rest) as object),
      ...(resourceVersion !== undefined && { resourceVersion: resourceVersion === '' ? '' : known }),
    }
  }

  #number(value: number, key: string): unknown {
    const isPort = key === 'nodePort' || key === 'healthCheckNodePort'
    return isPort && value >= 30_000 && value <= 32_767 ? this.#numbered('node port', String(value)) : value
  }

  #text(value: string, key: string): string {
    if (key === 'resourceVersion') return this.#version(value)
    if (key === 'continue') return value === '' ? '' : '<continue>'
    if (key === 'cells' && age.test(value)) return '<age>'
    return value
      .replace(spoilt, '$1Invalid value: <spoilt>')
      .replace(/(typed patch object \(.*?\): )(.*)/s, inAnyOrder)
      .replace(version, (_, before: string, found: string) => before + this.#numbered('version', found))
      .replace(uid, (found) => this.#numbered('uid', found))
      .replace(address, (found) => this.#numbered('address', found))
      .replace(nodePort, (found) => this.#numbered('node port', found))
      .replace(generated, (_, base: string) => `${base}<generated>`)
      .replace(time, (found) => (isRecent(found) ? '<time>' : found))
  }

  #version(value: string): string {
    if (value === '' || value === '0') return value
    if (/^\d+$/.test(value)) this.#newest = Math.max(this.#newest, Number(value))
    return this.#numbered('version', value)
  }

  #numbered(kind: string, value: string): string {
    const numbers = this.#seen.get(kind) ?? new Map<string, number>()
    this.#seen.set(kind, numbers)
    if (!numbers.has(value)) numbers.set(value, numbers.size + 1)
    return `<${kind} ${numbers.get(value)}>`
  }
}

interface Refusal {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details: {
    readonly group?: string
    readonly causes: readonly { readonly field?: string; readonly message: string }[]
  }
}

function isRefusal(value: object): value is Refusal {
  if (!('kind' in value && value.kind === 'Status' && 'details' in value)) return false
  const { causes = [] } = value.details as { causes?: unknown[] }
  return causes.length > 1
}

/** What Go keeps in maps, which it goes through in no order. */
const inMaps = /^(?:metadata\.(?:labels|annotations)|(?:data|binaryData|spec\.selector)(?:\[.*\])?)$/

/** Of a custom resource all is in maps. */
function inKeptOrder(causes: { field: string | undefined; text: string }[], isCustom: boolean): string[] {
  const kept: string[][] = []
  let previous: string | undefined
  for (const { field = '', text } of causes) {
    const map = isCustom ? 'all' : inMaps.test(field) ? field.replace(/\[.*/, '') : undefined
    if (map !== undefined && map === previous) kept.at(-1)?.push(text)
    else kept.push([text])
    previous = map
  }
  return kept.flatMap((run) => run.sort())
}

/** Go goes through maps in no order, and stops at the first field that nobody declared: what it finds is chance. */
function inAnyOrder(_: string, before: string, errors: string): string {
  if (errors.includes('field not declared in schema')) return `${before}<undeclared>`
  return before + errors.split('\n').sort().join('\n')
}

/** Whether entries stand as servers keep them: who applies before who updates, the older before the younger. */
function isInOrder(entries: readonly unknown[]): boolean {
  const keys = entries.map((entry) => {
    const { operation, time = '' } = (entry ?? {}) as Record<string, string>
    return [String(operation), time, managerOf(entry)].join(' ')
  })
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key)
}

/** The order depends on times, in whole seconds, and the servers see the same at slightly different ones. */
function byManager(one: unknown, other: unknown): number {
  const [a, b] = [managerOf(one), managerOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

function managerOf(entry: unknown): string {
  const {
    manager = '',
    operation = '',
    apiVersion = '',
    subresource = '',
  } = (entry ?? {}) as Record<string, string>
  return [operation, manager, apiVersion, subresource].join(' ')
}

/** A time of the server's own, not one that the test wrote. */
function isRecent(text: string): boolean {
  return Math.abs(Date.now() - Date.parse(text)) < 24 * 60 * 60 * 1000
}
