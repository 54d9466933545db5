import { isObject, isSameJson } from '@portcullis/kube'

/** One field that is not as it was; what was or will be absent is undefined. */
export interface FieldChange {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

/** What differs between two objects, field by field. Items of lists that have names are identified by them. */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isSameJson(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const fields = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...fields].flatMap((field) => fieldChanges(before[field], after[field], below(path, field)))
  }
  const [had, has] = [byName(before), byName(after)]
  if (had !== undefined && has !== undefined) {
    const names = new Set([...had.keys(), ...has.keys()])
    return [...names].flatMap((name) => fieldChanges(had.get(name), has.get(name), `${path}[${name}]`))
  }
  return [{ path, from: before, to: after }]
}

/** Everything that stands in an object, as if it were all new; what is empty is left out. */
export function allFields(value: unknown, path = ''): FieldChange[] {
  const parts = isObject(value)
    ? Object.entries(value).map(([field, part]) => [below(path, field), part] as const)
    : [...(byName(value) ?? [])].map(([name, part]) => [`${path}[${name}]`, part] as const)
  if (parts.length === 0) return isEmpty(value) ? [] : [{ path, from: undefined, to: value }]
  return parts.flatMap(([place, part]) => allFields(part, place))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** A field of its own, `a.b`; keys of labels and annotations have dots of their own. */
function below(path: string, field: string): string {
  const step = /^[\w-]+$/.test(field) ? `.${field}` : `["${field}"]`
  return path === '' && step.startsWith('.') ? field : `${path}${step}`
}

function byName(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const named = value.map((item: unknown) =>
    isObject(item) && typeof item['name'] === 'string' ? ([item['name'], item] as const) : undefined,
  )
  const all = named.filter((item) => item !== undefined)
  return all.length === value.length && new Set(all.map(([name]) => name)).size === all.length
    ? new Map(all)
    : undefined
}
