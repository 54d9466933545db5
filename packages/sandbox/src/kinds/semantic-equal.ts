/**
 * Whether two values mean the same to Go (`equality.Semantic.DeepEqual`): absent, null and an empty list are the same, and
 * the order of keys does not matter. An empty map is not absent here, since it may be a struct behind a pointer: who
 * compares maps writes `?? {}`.
 */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isNothing(a) && isNothing(b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSemanticallyEqual(item, b[index]))
  if (!isMap(a) || !isMap(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => isSemanticallyEqual(a[key], b[key]))
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) && value.length === 0
}
