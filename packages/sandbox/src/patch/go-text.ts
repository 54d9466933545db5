import { compareBytes, isObject, type Json, valueAt } from './json-value.ts'

/** How Go's decoder names the kind of a JSON value when it does not fit. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** What `%v` makes of decoded JSON: `map[a:1 b:[x y]]`. */
export function goFormat(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goFormat).join(' ')}]`
  if (!isObject(value)) return String(value)
  const keys = Object.keys(value).sort(compareBytes)
  return `map[${keys.map((key) => `${key}:${goFormat(valueAt(value, key) ?? null)}`).join(' ')}]`
}

/** A string as Go's JSON encoder writes it: with `<`, `>` and `&` escaped. */
export function goJsonString(text: string): string {
  return JSON.stringify(text)
    .replace(/\\b/g, (match, offset: number, whole: string) => (isEscape(whole, offset) ? '\\u0008' : match))
    .replace(/\\f/g, (match, offset: number, whole: string) => (isEscape(whole, offset) ? '\\u000c' : match))
    .replace(/[<>&\u2028\u2029]/g, (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

/** Whether the backslash at an offset starts an escape, and is not the second of a pair. */
function isEscape(whole: string, offset: number): boolean {
  let before = 0
  while (whole[offset - 1 - before] === '\\') before++
  return before % 2 === 0
}

/** JSON as Go writes it, without a space. The keys of structs come as they are, those of maps sorted. */
export function goJson(value: Json, { keys }: { readonly keys: 'as they are' | 'sorted' }): string {
  if (typeof value === 'string') return goJsonString(value)
  if (Array.isArray(value)) return `[${value.map((item) => goJson(item, { keys })).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const names = keys === 'sorted' ? Object.keys(value).sort(compareBytes) : Object.keys(value)
  const fields = names.map(
    (name) => `${goJsonString(name)}:${goJson(valueAt(value, name) ?? null, { keys })}`,
  )
  return `{${fields.join(',')}}`
}
