/** Anything that JSON can say. */
export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What an object itself says of a key; never what it inherits, so that `constructor` is a key like any other. */
export function valueAt(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a key, `__proto__` too, on the object itself. */
export function setValue(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}

export function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyOf)
  return isObject(value) ? copyOfObject(value) : value
}

export function copyOfObject(object: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const [key, value] of Object.entries(object)) setValue(copy, key, copyOf(value))
  return copy
}

/** The same object with its keys in the order in which Go writes a map; what is inside keeps its own. */
export function withSortedKeys(object: JsonObject): JsonObject {
  const sorted: JsonObject = {}
  for (const key of Object.keys(object).sort(compareBytes))
    setValue(sorted, key, valueAt(object, key) ?? null)
  return sorted
}

const surrogate = /[\ud800-\udfff]/

/** The order of strings in Go, which is that of their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}
