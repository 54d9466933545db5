import type { Random } from '@portcullis/kube'
import { type EventFault, eventFaults, type Fault, faultKind, faultsOf } from './faults.ts'
import { type Chapter, chaptersOf, type History } from './history.ts'
import { hasteMs, linesInHaste } from './racing-user.ts'
import type { Story } from './stories.ts'
import type { PlanInNumbers } from './summary.ts'
import { seeded } from './world/random.ts'

/** A story, and how it goes when nothing goes wrong. */
export interface Told {
  readonly story: Story
  readonly chapters: readonly Chapter[]
  /** For each step, how many lines of watches there are when the next one follows at once; none where none does. */
  readonly hastyLines: readonly number[]
}

export async function tellUndisturbed(story: Story): Promise<Told> {
  const chapters = await chaptersOf(story)
  const hastyLines: number[] = []
  for (const [index, chapter] of chapters.entries()) {
    const next = chapters[index + 1]
    const isHasty = next !== undefined && !next.step.isPatient
    hastyLines.push(isHasty ? await linesInHaste(story, chapter, next) : 0)
  }
  return { story, chapters, hastyLines }
}

/** One history of one story. */
export interface Planned {
  readonly story: number
  readonly history: History
  /** By what it is counted: the kind of its fault, or of several. */
  readonly kind: string
}

/** A step of a story, and what it has that no story before it has: itself, or that another follows it in haste. */
interface StepOfStory {
  readonly story: number
  readonly chapter: number
  readonly isElected: boolean
  readonly isNew: boolean
  readonly isNewInHaste: boolean
}

/** Many stories begin alike: what two of them have in common is played in one. */
function stepsOf(told: readonly Told[]): StepOfStory[] {
  const seen = new Set<string>()
  const isNew = (key: string) => {
    const isSeen = seen.has(key)
    seen.add(key)
    return !isSeen
  }
  return told.flatMap(({ story, chapters, hastyLines }, index) =>
    chapters.map(({ step, state }, chapter) => {
      const before = chapters[chapter - 1]?.state ?? ''
      const key = [story.platform, story.operators, step.isUnattended, before, state].join('\n')
      return {
        story: index,
        chapter,
        isElected: (story.operators ?? 1) > 1,
        isNew: isNew(key),
        // Two steps in one breath are the same only if both are.
        isNewInHaste: (hastyLines[chapter] ?? 0) > 0 && isNew(`${key}\n${chapters[chapter + 1]?.state}`),
      }
    }),
  )
}

/** Every fault at every point of every step, alone. */
export function everySingleFault(told: readonly Told[]): Planned[] {
  return stepsOf(told).flatMap(({ story, chapter: number, isElected, isNew, isNewInHaste }): Planned[] => {
    const { chapters, hastyLines } = told[story] as Told
    const singles = isNew ? singleFaults(chapters[number] as Chapter, isElected) : []
    const hasty = isNewInHaste ? staleInHaste(number, hastyLines[number] ?? 0) : []
    return [
      ...singles.map((fault) => ({
        story,
        history: { chapter: number, faults: [fault] },
        kind: faultKind(fault),
      })),
      ...hasty.map((history) => ({ story, history, kind: haste })),
    ]
  })
}

function singleFaults(chapter: Chapter, isElected: boolean): Fault[] {
  const requests = chapter.requests.flatMap(({ number, isWrite, path }): Fault[] => {
    // Elections renew their Lease without end; that has tests of its own, and here a few will do.
    const isOneOfMany = isElected && (!isWrite || (path.includes('/leases') && number % 16 !== 0))
    if (isOneOfMany) return []
    return faultsOf({ isWrite }, isElected).map((kind) => ({ at: 'request', number, kind }))
  })
  const kinds = Object.keys(eventFaults) as EventFault[]
  const events = chapter.events.flatMap((_, index): Fault[] =>
    kinds.map((kind) => ({ at: 'event', number: index + 1, kind })),
  )
  return [...requests, ...events, ...(isElected ? awakeAtEachWrite(chapter) : staleInEachReconcile(chapter))]
}

const haste = 'frozen, in haste'

/** The user goes on before the first step has had any effect, and the operator sees only one of the two. */
function staleInHaste(chapter: number, lines: number): History[] {
  return Array.from({ length: Math.min(lines, 4) }, (_, index) => {
    return { chapter, faults: [{ at: 'event', number: index + 1, kind: 'frozen for 4 s' }], hasteMs }
  })
}

/** Every store, frozen at each of its versions until each of the reconciles that follow. */
function staleInEachReconcile({ events, reconciles }: Chapter): Fault[] {
  return events.flatMap((before, index) =>
    Array.from({ length: reconciles - before }, (_, more): Fault => {
      return { at: 'event', number: index + 1, kind: 'frozen', untilReconcile: more + 1 }
    }),
  )
}

/** The leader, stopped at each write, until each of those that its successor may do in its place. */
function awakeAtEachWrite({ requests }: Chapter): Fault[] {
  const writes = requests.filter(({ isWrite, path }) => isWrite && !path.includes('/leases'))
  return writes.flatMap(({ number }, index) =>
    writes.slice(index).flatMap((_, more): Fault[] =>
      (['stop before', 'stop after'] as const).map((kind) => ({
        at: 'request',
        number,
        kind,
        untilWrite: more + 1,
      })),
    ),
  )
}

/** Two or three faults at once, anywhere, with answers and events that take their time, and users that do not. */
export function* severalFaults(told: readonly Told[], seed: number): Generator<Planned> {
  const random = seeded(seed)
  const steps = stepsOf(told)
  const calm = steps.filter(({ isNew, isElected }) => isNew && !isElected)
  const inHaste = steps.filter(({ isNewInHaste, isElected }) => isNewInHaste && !isElected)
  const elected = steps.filter(({ isNew, isElected }) => isNew && isElected)
  for (;;) {
    // One in a hundred among several operators: these take their time.
    const wanted = random() < 0.01 ? elected : random() < 1 / 6 ? inHaste : calm
    const among = [wanted, calm, elected].find(({ length }) => length > 0) ?? []
    const { story, chapter, isElected } = among[below(among.length, random)] as StepOfStory
    const { chapters } = told[story] as Told
    const count = random() < 0.7 ? 2 : 3
    const faults = faultsAtOnce(chapters[chapter] as Chapter, isElected, count, random)
    const isJittery = random() < 0.5
    const isHasty = among === inHaste
    yield {
      story,
      history: {
        chapter,
        faults,
        ...(isJittery && { seed: below(1_000_000, random) }),
        ...(isHasty && { hasteMs: below(random() < 0.5 ? 60 : 4_000, random) }),
      },
      kind: isHasty ? 'several, in haste' : isJittery ? 'several, with delays' : 'several',
    }
  }
}

/** So many faults, each at a point of its own. */
function faultsAtOnce(chapter: Chapter, isElected: boolean, count: number, random: Random): Fault[] {
  const faults: Fault[] = []
  while (faults.length < count) {
    const fault = anyFault(chapter, isElected, faults, random)
    if (!faults.some(({ at, number }) => at === fault.at && number === fault.number)) faults.push(fault)
  }
  return faults
}

/** At a point that there is without faults; or, where the operator dies before, among what it then does anew. */
function anyFault(chapter: Chapter, isElected: boolean, others: readonly Fault[], random: Random): Fault {
  const { requests, events } = chapter
  if (random() < 0.5 && events.length > 0) {
    const kinds = Object.keys(eventFaults) as EventFault[]
    return {
      at: 'event',
      number: 1 + below(events.length, random),
      kind: kinds[below(kinds.length, random)] ?? 'lost',
    }
  }
  const restarts = others.filter(({ kind }) => kind.startsWith('crash')).length
  const atStart = requests.filter(({ isWrite }) => !isWrite).length
  const number = 1 + below(requests.length + (isElected ? 0 : restarts * atStart), random)
  const isWrite = requests[number - 1]?.isWrite ?? true
  // Most reads are at the start, and most of what matters is not.
  if (!isWrite && random() < 0.6) return anyFault(chapter, isElected, others, random)
  const kinds = faultsOf({ isWrite }, isElected)
  return { at: 'request', number, kind: kinds[below(kinds.length, random)] ?? 'answer 500' }
}

/** Which histories to play: those with a single fault, all of them if there is room, and others between them. */
export interface Plan extends PlanInNumbers {
  readonly histories: Iterable<Planned>
}

/** So much is theirs at least; where there is no room for all of them, other seeds have the others. */
const shareOfSingles = 0.75

export function planOf(told: readonly Told[], wanted: number, seed: number): Plan {
  const singles = shuffled(everySingleFault(told), 1)
  const chosen = Math.min(singles.length, Math.ceil(wanted * (singles.length > wanted ? shareOfSingles : 1)))
  // Each seed goes on where the one before ended.
  const from = chosen === singles.length ? 0 : ((seed - 1) * chosen) % singles.length
  return { singles: singles.length, chosen, wanted, histories: inTurn() }

  /** Mixed, so that whoever stops early has seen both; those with a single fault come to their end first. */
  function* inTurn(): Generator<Planned> {
    const several = severalFaults(told, seed)
    const share = Math.max(shareOfSingles, chosen / wanted)
    let played = 0
    for (let number = 1; number <= wanted; number++) {
      const single = singles[(from + played) % singles.length]
      if (single !== undefined && played < Math.min(chosen, Math.round(number * share))) {
        played++
        yield single
      } else yield several.next().value as Planned
    }
  }
}

/** So many are put in order at a time: whoever stops early has seen something of every story. */
const atATime = 20_000

/** No worker is long at it when the others have nothing left to do. */
const mostInBatch = 200

/**
 * What one worker plays before it asks for more: histories of the same step, after one another, because much of what
 * happens in one is remembered in the next.
 */
export function batchesOf(histories: readonly Planned[]): Planned[][] {
  const batches = new Map<string, Planned[]>()
  for (const [number, planned] of histories.entries()) {
    const step = [Math.floor(number / atATime), planned.story, planned.history.chapter].join()
    const batch = batches.get(step) ?? []
    batches.set(step, batch)
    batch.push(planned)
  }
  return [...batches.values()].flatMap(inPieces)
}

function inPieces(batch: readonly Planned[]): Planned[][] {
  const count = Math.ceil(batch.length / mostInBatch)
  return Array.from({ length: count }, (_, piece) =>
    batch.slice(piece * mostInBatch, (piece + 1) * mostInBatch),
  )
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}

/** In an order that a seed chooses. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed)
  const result = [...items]
  for (let index = result.length - 1; index > 0; index--) {
    const other = below(index + 1, random)
    ;[result[index], result[other]] = [result[other] as T, result[index] as T]
  }
  return result
}
