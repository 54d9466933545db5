/** A JSON merge patch (RFC 7386), or a part of one: null removes. */
export type MergePatch = { [field: string]: unknown }

/** The patch that makes one object of another; undefined when they are equal. */
export function mergePatchBetween(before: object, after: object): MergePatch | undefined {
  const patch: MergePatch = {}
  const [old, wanted] = [before as MergePatch, after as MergePatch]
  for (const field of Object.keys(old)) {
    if (old[field] !== undefined && valueIn(wanted, field) === undefined) patch[field] = null
  }
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined) continue
    const had = valueIn(old, field)
    if (isObject(value) && isObject(had)) {
      const part = mergePatchBetween(had, value)
      if (part !== undefined) patch[field] = part
    } else if (!isSameJson(had, value)) patch[field] = value
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** What an API server makes of an object and a merge patch. */
export function applyMergePatch<T extends object>(object: T, patch: MergePatch): T {
  const result: MergePatch = { ...(object as MergePatch) }
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field]
    else if (isObject(value)) result[field] = applyMergePatch(asObject(valueIn(result, field)), value)
    else result[field] = value
  }
  return result as T
}

export function isObject(value: unknown): value is MergePatch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether two values would be the same JSON, the order of fields aside. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSameJson(item, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  for (const field of Object.keys(one)) {
    if (one[field] !== undefined && !isSameJson(one[field], valueIn(other, field))) return false
  }
  return Object.keys(other).every((field) => other[field] === undefined || valueIn(one, field) !== undefined)
}

/** A label may be called `constructor`: what every object has by birth is not meant. */
export function valueIn(object: MergePatch, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined
}

function asObject(value: unknown): MergePatch {
  return isObject(value) ? value : {}
}
