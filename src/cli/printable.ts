/** What moves the cursor, changes colours or turns the direction of writing: a terminal would obey it. */
const orders = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Text of others on one line, as a terminal can be given it: what stands in it is shown, and gives no orders. */
export function printable(text: string): string {
  return text.replaceAll(orders, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return character === '\n' ? String.raw`\n` : String.raw`\u${code}`
  })
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** The same for every text in a value, however deep. */
export function printableThroughout<T>(value: T): T {
  if (typeof value === 'string') return printableLines(value) as T
  if (Array.isArray(value)) return value.map(printableThroughout) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [printable(field), printableThroughout<unknown>(part)]),
  ) as T
}
