import { stripVTControlCharacters } from 'node:util'

/** What is longer stands out of its column: else each row would be filled up with blanks to the same length. */
const widestColumn = 2_000

/** Columns, as wide as what stands in them, three blanks apart. */
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

/** As it is seen: colours have no width. */
function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
