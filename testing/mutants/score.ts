import { dirname } from 'node:path'
import type { Mutant } from './mutate.ts'

/** How many of the mutants were killed, by folder and in total. */
export function scores(mutants: readonly Mutant[], killed: ReadonlySet<number>): string[] {
  const lines = [...byFolder(mutants)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return [...lines, ['in total', mutants] as const].map(([name, all]) => {
    const dead = all.filter(({ id }) => killed.has(id)).length
    return `${name.padEnd(28)} ${String(dead).padStart(5)} of ${String(all.length).padStart(5)} killed  ${percent(dead, all.length)}`
  })
}

function byFolder(mutants: readonly Mutant[]): Map<string, Mutant[]> {
  const folders = new Map<string, Mutant[]>()
  for (const mutant of mutants) {
    const folder = dirname(mutant.file)
    folders.set(folder, [...(folders.get(folder) ?? []), mutant])
  }
  return folders
}

/** Rounded down: what is not reached is not claimed. */
function percent(part: number, whole: number): string {
  return whole === 0 ? '' : `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`.padStart(7)
}
