/** What somebody most likely meant who wrote something that does not exist; nothing if nothing is near. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const mistakes = (candidate: string) => distance(written.toLowerCase(), candidate.toLowerCase())
  const [best] = known
    .map((candidate) => ({ candidate, mistakes: mistakes(candidate) }))
    .filter(({ candidate, mistakes }) => mistakes <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.mistakes - b.mistakes)
  return best?.candidate
}

/** Letters to add, leave out, change or swap with their neighbour. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (last[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const cheapest = Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(isSwap ? Math.min(cheapest, (beforeLast[j - 2] ?? 0) + 1) : cheapest)
    }
    beforeLast = last
    last = row
  }
  return last[to.length] ?? 0
}
