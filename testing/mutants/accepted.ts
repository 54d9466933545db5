import type { Mutant } from './mutate.ts'

/** A survivor that is known, and the reason why no test is asked for. It is found again by its code, not by its line. */
export interface Accepted {
  readonly file: string
  /** The line of the source on which it begins. */
  readonly code: string
  readonly original: string
  readonly replacement: string
  readonly reason: string
}

/** How the list is written: what has one reason stands together. */
interface Group {
  readonly file: string
  readonly reason: string
  readonly mutants: readonly Pick<Accepted, 'code' | 'original' | 'replacement'>[]
}

export function readAccepted(text: string): Accepted[] {
  const groups = JSON.parse(text) as Group[]
  const unexplained = groups.find(({ reason }) => reason.trim() === '')
  if (unexplained !== undefined)
    throw new Error(`A survivor of ${unexplained.file} is listed without a reason.`)
  return groups.flatMap(({ file, reason, mutants }) => mutants.map((each) => ({ file, reason, ...each })))
}

/** Entries for the list, but for the reasons. */
export function grouped(mutants: readonly Mutant[]): Group[] {
  return mutants.map(({ file, code, original, replacement }) => ({
    file,
    reason: '',
    mutants: [{ code, original: oneLine(original), replacement: oneLine(replacement) }],
  }))
}

export interface Comparison {
  readonly unlisted: readonly Mutant[]
  readonly listed: readonly Mutant[]
  /** Entries for which there is no survivor any more. */
  readonly stale: readonly Accepted[]
}

/** @param files those that were mutated: nothing can be said of entries for others */
export function compare(
  survivors: readonly Mutant[],
  accepted: readonly Accepted[],
  files: readonly string[],
): Comparison {
  const known = new Set(accepted.map(keyOf))
  const found = new Set(survivors.map(keyOf))
  return {
    unlisted: survivors.filter((mutant) => !known.has(keyOf(mutant))),
    listed: survivors.filter((mutant) => known.has(keyOf(mutant))),
    stale: accepted.filter((entry) => files.includes(entry.file) && !found.has(keyOf(entry))),
  }
}

/** The same change of the same line twice counts as one. */
function keyOf({ file, code, original, replacement }: Omit<Accepted, 'reason'>): string {
  return JSON.stringify([file, code, oneLine(original), oneLine(replacement)])
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
