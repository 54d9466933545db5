import { printable } from '@portcullis/kube'

export { hasControlChars, printable } from '@portcullis/kube'

/** Like `printable`, for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Applies `printable` to every text in a value, however deep, except to messages, which may have several lines. */
export function printableThroughout<T>(value: T): T {
  return within(value, '') as T
}

function within(value: unknown, name: string): unknown {
  if (typeof value === 'string') return name === 'message' ? printableLines(value) : printable(value)
  if (Array.isArray(value)) return value.map((each) => within(each, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [printable(field), within(part, field)]),
  )
}
