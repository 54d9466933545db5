import { setOwn } from './json-text.ts'

/** Whether two values would be the same JSON; a field that is undefined is none. A test of the sandbox holds it to `isSameJson` of kube. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, at) => isEqualJson(item, other[at]))
  }
  return isEqualRecord(one as Record<string, unknown>, other as Record<string, unknown>)
}

function isEqualRecord(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  for (const key in one) if (one[key] !== undefined && !isEqualJson(one[key], own(other, key))) return false
  for (const key in other) if (other[key] !== undefined && own(one, key) === undefined) return false
  return true
}

/** Never what is inherited: `constructor` is a key like any other. */
function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** A deep copy of a JSON value. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJson) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson((value as Record<string, unknown>)[key]))
  return copy as T
}
