/** By story and kind of fault, with a tab between: how many histories held, and how many did not. */
export type Counts = Map<string, { passed: number; failed: number }>

/** How many of the faults of a history have happened. */
export type Extent = 'all' | 'some' | 'none'

/** How many histories with a single fault there are, how many of them were to be played, and how many in all. */
export interface PlanInNumbers {
  readonly singles: number
  readonly chosen: number
  readonly wanted: number
}

/** What a campaign has come to. */
export interface CampaignTotals {
  readonly counts: Counts
  readonly plan: PlanInNumbers
  /** Of the histories with several faults, in how many these have happened. */
  readonly several: Readonly<Record<Extent, number>>
}

/** What was played, in sentences, and what is wrong with that apart from what is broken. */
export function extent({ counts, plan, several }: CampaignTotals): {
  readonly said: readonly string[]
  readonly problem: string | undefined
} {
  const cells = [...counts].map(([key, { passed, failed }]) => ({ key, number: passed + failed }))
  const played = sum(cells)
  const singles = sum(cells.filter(({ key }) => !key.includes('\tseveral')))
  const isWhole = plan.chosen === plan.singles
  const of = singles === plan.singles ? 'All' : `${singles} of the`
  const others = isWhole ? '' : ' (other seeds have others)'
  return {
    said: [
      `${of} ${plan.singles} histories with a single fault${others}, and ${played - singles} with several.`,
      `Of those with several, all of their faults happened in ${several.all}, some in ${several.some}, none in ${several.none}.`,
    ],
    problem: problemOf(played, singles, plan),
  }
}

function problemOf(
  played: number,
  playedSingles: number,
  { singles, chosen, wanted }: PlanInNumbers,
): string | undefined {
  const advice = 'Allow more --minutes, or ask for fewer --histories.'
  if (played === 0) return 'Nothing was played.'
  if (chosen === singles && playedSingles < singles)
    return `The time was over before all histories with a single fault were played: ${singles - playedSingles} are missing. ${advice}`
  if (played < wanted)
    return `The time was over before all histories were played: ${wanted - played} are missing. ${advice}`
  return undefined
}

function sum(cells: readonly { readonly number: number }[]): number {
  return cells.reduce((total, { number }) => total + number, 0)
}

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
