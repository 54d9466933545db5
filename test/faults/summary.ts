/** By story and kind of fault, with a tab between: how many histories held, and how many did not. */
export type Counts = Map<string, { passed: number; failed: number }>

/** A table: the stories below each other, the kinds of faults beside each other; broken ones with an exclamation mark. */
export function summary(counts: Counts): string {
  const cells = [...counts].map(([key, count]) => {
    const [story = '', kind = ''] = key.split('\t')
    return { story, kind, ...count }
  })
  const kinds = [...new Set(cells.map(({ kind }) => kind))].sort()
  const stories = [...new Set(cells.map(({ story }) => story))].sort()
  const numbered = kinds.map((kind, index) => `${letter(index)} ${kind}`)
  const rows = stories.map((story) => {
    const numbers = kinds.map((kind) => {
      const found = counts.get(`${story}\t${kind}`)
      if (found === undefined) return '.'
      return found.failed > 0 ? `${found.failed}!` : String(found.passed)
    })
    return [story, ...numbers]
  })
  const totals = kinds.map((kind) =>
    String(
      cells.filter((cell) => cell.kind === kind).reduce((sum, cell) => sum + cell.passed + cell.failed, 0),
    ),
  )
  const table = [['story', ...kinds.map((_, index) => letter(index))], ...rows, ['all', ...totals]]
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? []
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(' '),
  )
  return `\n${numbered.join('\n')}\n\n${lines.join('\n')}\n`
}

function letter(index: number): string {
  return String.fromCharCode(index < 26 ? 'A'.charCodeAt(0) + index : 'a'.charCodeAt(0) + index - 26)
}
