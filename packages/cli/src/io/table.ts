import { stripVTControlCharacters } from 'node:util'

/** A longer cell exceeds its column: otherwise every other row would be padded to its length. */
const widestColumn = 2_000

/** A table whose columns are as wide as their cells, three blanks apart. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) =>
    all
      .map((row) => lengthOf(row[column] ?? ''))
      .filter((length) => length <= widestColumn)
      .reduce((widest, length) => Math.max(widest, length), 0),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(cell))))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}

/** The visible width: colours have none. */
function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
