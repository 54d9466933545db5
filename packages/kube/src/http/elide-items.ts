import type { ParseJson } from './requester.ts'

interface Limits {
  /** Up to this length, a text is not looked at. */
  readonly shortText: number
  /** So many values are kept of each field in `metadata`, `spec` and `status`, those inside of others included. */
  readonly values: number
  /**
   * And so many with a key that was not in the text before: each costs the parser as much as ten others, for it is looked
   * up among all strings, and each object with such a key has a shape of its own.
   */
  readonly newKeys: number
}

/**
 * The router's addresses on 5,000 nodes are 45,000 values, and no other field of which anything is kept has nearly as many
 * in a real object.
 */
const defaultLimits: Limits = { shortText: 128 * 1024, values: 50_000, newKeys: 5_000 }

/** How deep in a text the fields of `metadata`, `spec` and `status` are. */
export const fieldsDepth = {
  /** `{"type": …, "object": {"spec": {…}}}` */
  watchEvent: 3,
  /** `{"items": [{"spec": {…}}]}` */
  list: 4,
} as const

interface ElidedReading {
  readonly parseJson: ParseJson
  readonly fieldsDepth: number
  /** Whether more is kept of what was read than facts: it is then read again, with nothing left out. */
  readonly isKeptWhole: (value: unknown) => boolean
}

/**
 * Parses a text for a caller that keeps little of it. `[{},{},…]` takes a hundred times its length while it is parsed,
 * and a tenant may write a megabyte of that.
 *
 * Only for objects that go through a projection. What is left out is lost, so nothing may be written
 * that was computed from such a list. Looked through for that:
 *  - Services and Pods in the routers' namespace are projected to themselves, and patches of Services carry the ports that
 *    others added: these objects are never cut (`isKeptWhole`). Elsewhere only ports are kept of both, and neither is written.
 *  - The status of an Ingress is written with all of our addresses, never with some of those that were read, and under the
 *    version that was read. Of its managedFields only who wrote the address matters; an Ingress that brings so many that
 *    the entry is left out keeps its address longer. One with 5,000 annotations before its class has no class here, and
 *    loses an address that we wrote, as if its owner had removed the class.
 *  - Labels count as too many, and select nothing, long before any are left out.
 *  - Nodes, Namespaces and Events are not written at all.
 */
export function readElided(text: string, reading: ElidedReading): unknown {
  const elided = elideItems(text, reading.fieldsDepth)
  const value = reading.parseJson(elided)
  return elided !== text && reading.isKeptWhole(value) ? reading.parseJson(text) : value
}

/**
 * The text without what is beyond the first values of a field, at whatever depth. What is left is JSON, and the beginning
 * of each list and object that was there. A short text, and one that is not JSON, is handed back as it is.
 *
 * @param depth of the fields that are counted for themselves, so that a long one takes nothing from those after it
 */
export function elideItems(text: string, depth: number, limits = defaultLimits): string {
  return text.length <= limits.shortText ? text : new Elision(text, depth, limits).elided()
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [arrayStart, arrayEnd, objectStart, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]
const [tab, newline, carriageReturn, space] = [0x09, 0x0a, 0x0d, 0x20]

const escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y

/** One pass over a text. It knows all of JSON's grammar: what it leaves out would otherwise hide that a text is broken. */
class Elision {
  readonly #text: string
  readonly #fieldsDepth: number
  readonly #limits: Limits
  #at = 0
  /** What ends the arrays and objects that are open, innermost last. No recursion: they may be a million. */
  readonly #ends: number[] = []
  /** The field whose values are counted, and how many more of it may be kept. */
  #field: { readonly depth: number; values: number; newKeys: number } | undefined
  readonly #keys = new Set<string>()
  #kept = ''
  /** From where on the text is to be kept; undefined while it is left out. */
  #keptFrom: number | undefined = 0

  constructor(text: string, depth: number, limits: Limits) {
    this.#text = text
    this.#fieldsDepth = depth
    this.#limits = limits
  }

  elided(): string {
    do {
      if (!this.#skipToScalar()) return this.#text
    } while (this.#skipToNextValue())
    const isWhole = this.#ends.length === 0 && this.#at === this.#text.length
    return isWhole ? this.#kept + this.#text.slice(this.#keptFrom) : this.#text
  }

  /** Goes past the first scalar in a value, or to the end of an array or object that is empty. */
  #skipToScalar(): boolean {
    for (;;) {
      const start = this.#skipSpace()
      if (start !== arrayStart && start !== objectStart) return this.#skipScalar(start)
      const end = start === arrayStart ? arrayEnd : objectEnd
      this.#at += 1
      this.#open(end)
      if (this.#skipSpace() === end) return true
      if (!this.#beginItem(end, this.#at)) return false
    }
  }

  /** Goes out of all that ends here, then to the next value; false at the end, or where there is something else. */
  #skipToNextValue(): boolean {
    for (;;) {
      const code = this.#skipSpace()
      const end = this.#ends[this.#ends.length - 1]
      if (end === undefined) return false
      this.#at += 1
      if (code === comma) return this.#beginItem(end, this.#at - 1)
      if (code !== end) return false
      this.#close()
    }
  }

  #open(end: number): void {
    const depth = this.#ends.push(end)
    if (this.#field !== undefined) return
    if (depth > this.#fieldsDepth || (depth === this.#fieldsDepth && end === arrayEnd)) {
      const { values, newKeys } = this.#limits
      this.#field = { depth, values, newKeys }
    }
  }

  #close(): void {
    const depth = this.#ends.length
    this.#ends.pop()
    if (depth !== this.#field?.depth) return
    this.#field = undefined
    this.#keptFrom ??= this.#at
  }

  /**
   * Goes to the value of an item or member. If that is one too many, the text is cut before it, and goes on after the field.
   *
   * @param end of the array or object that it is in
   * @param cutAt where what comes before it ends
   */
  #beginItem(end: number, cutAt: number): boolean {
    const field = this.#keptFrom === undefined ? undefined : this.#field
    const keyStart = this.#at
    if (end === objectEnd && !this.#skipKey()) return false
    if (field === undefined) return true
    field.values -= 1
    if (end === objectEnd && this.#addKey(this.#text.slice(keyStart, this.#at))) field.newKeys -= 1
    if (field.values < 0 || field.newKeys < 0) this.#cut(cutAt, field.depth)
    return true
  }

  #cut(at: number, depth: number): void {
    this.#kept += this.#text.slice(this.#keptFrom, at)
    const ends = this.#ends.slice(depth - 1).toReversed()
    for (const end of ends) this.#kept += String.fromCharCode(end)
    this.#keptFrom = undefined
  }

  /** Whether the key is new, as it is written: with other blanks around it, the same key may be taken for a new one. */
  #addKey(key: string): boolean {
    const known = this.#keys.size
    return this.#keys.add(key).size > known
  }

  #skipKey(): boolean {
    if (this.#skipSpace() !== quote || !this.#skipString() || this.#skipSpace() !== colon) return false
    this.#at += 1
    return true
  }

  #skipScalar(start: number): boolean {
    return start === quote ? this.#skipString() : this.#skip(scalar)
  }

  #skipString(): boolean {
    const text = this.#text
    for (let at = this.#at + 1; ; at += 1) {
      const code = text.charCodeAt(at)
      if (code < space || Number.isNaN(code)) return false
      if (code !== quote && code !== backslash) continue
      this.#at = at
      if (code === quote) {
        this.#at += 1
        return true
      }
      if (!this.#skip(escape)) return false
      at = this.#at - 1
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const isThere = pattern.test(this.#text)
    this.#at = pattern.lastIndex
    return isThere
  }

  /** @returns the code of what comes then; NaN at the end */
  #skipSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== space && code !== newline && code !== carriageReturn && code !== tab) return code
      this.#at += 1
    }
  }
}
