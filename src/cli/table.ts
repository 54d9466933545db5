import { stripVTControlCharacters } from 'node:util'

/** Columns, as wide as what stands in them, three blanks apart. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => lengthOf(row[column] ?? ''))))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell)))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}

/** As it is seen: colours have no width. */
function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
