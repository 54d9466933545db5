/** One thing that was measured. */
export interface Row {
  readonly name: string
  readonly ours: string
  readonly theirs: string
  readonly ratio: number
  /** What the ratio must reach; without one it is only reported. */
  readonly bar?: number
}

/** What grows with the size of something, and how. */
export interface Growth {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** All that one benchmark finds out. */
export interface Measured {
  readonly rows: readonly Row[]
  readonly growth?: Growth
}

export function growthTable({ columns, rows }: Growth): string {
  return aligned([columns, ...rows])
}

export function table(rows: readonly Row[]): string {
  const cells = [
    ['what', 'ours', 'against', 'ratio', 'bar', ''],
    ...rows.map(({ name, ours, theirs, ratio, bar }) => [
      name,
      ours,
      theirs,
      ratio.toFixed(2),
      bar === undefined ? '' : `≥ ${Number(bar.toFixed(2))}`,
      bar === undefined ? '' : ratio >= bar ? 'met' : 'MISSED',
    ]),
  ]
  return aligned(cells)
}

function aligned(cells: readonly (readonly string[])[]): string {
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}
