import type { Random } from '@portcullis/kube'
import { type EventFault, eventFaults, type Fault, faultKind, faultsOf } from './faults.ts'
import { type BaselineStep, baselineSteps, type History } from './history.ts'
import { linesWhenRacing, raceMs } from './racing-user.ts'
import { seeded } from './simulation/random.ts'
import type { Story } from './stories/story.ts'
import type { PlanInNumbers } from './summary.ts'

/** A story, and how it goes when nothing goes wrong. */
export interface Baseline {
  readonly story: Story
  readonly steps: readonly BaselineStep[]
  /** For each step, how many lines of watches there are when the next one follows at once; none where none does. */
  readonly racingLines: readonly number[]
}

export async function baselineOf(story: Story): Promise<Baseline> {
  const steps = await baselineSteps(story)
  const racingLines: number[] = []
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    const isRacing = next !== undefined && !next.step.isPatient
    racingLines.push(isRacing ? await linesWhenRacing(story, step, next) : 0)
  }
  return { story, steps, racingLines }
}

/** One history of one story. */
export interface Planned {
  readonly story: number
  readonly history: History
  /** By what it is counted: the kind of its fault, or of several. */
  readonly kind: string
}

/** A step of a story, and what it has that no story before it has: itself, or that another follows it at once. */
interface StepOfStory {
  readonly story: number
  readonly step: number
  readonly isElected: boolean
  readonly isNew: boolean
  readonly isNewInRace: boolean
}

/** Many stories begin alike: what two of them have in common is played in one. */
function stepsOf(baselines: readonly Baseline[]): StepOfStory[] {
  const seen = new Set<string>()
  const isNew = (key: string) => {
    const isSeen = seen.has(key)
    seen.add(key)
    return !isSeen
  }
  return baselines.flatMap(({ story, steps, racingLines }, index) =>
    steps.map(({ step: { isUnattended }, state }, step) => {
      const before = steps[step - 1]?.state ?? ''
      const key = [story.platform, story.operators, isUnattended, before, state].join('\n')
      return {
        story: index,
        step,
        isElected: (story.operators ?? 1) > 1,
        isNew: isNew(key),
        // Two steps in one breath are the same only if both are.
        isNewInRace: (racingLines[step] ?? 0) > 0 && isNew(`${key}\n${steps[step + 1]?.state}`),
      }
    }),
  )
}

/** Every fault at every point of every step, alone. */
export function everySingleFault(baselines: readonly Baseline[]): Planned[] {
  return stepsOf(baselines).flatMap(({ story, step: number, isElected, isNew, isNewInRace }): Planned[] => {
    const { steps, racingLines } = baselines[story] as Baseline
    const singles = isNew ? singleFaults(steps[number] as BaselineStep, isElected) : []
    const racing = isNewInRace ? staleInRace(number, racingLines[number] ?? 0) : []
    return [
      ...singles.map((fault) => ({
        story,
        history: { step: number, faults: [fault] },
        kind: faultKind(fault),
      })),
      ...racing.map((history) => ({ story, history, kind: racingKind })),
    ]
  })
}

function singleFaults(step: BaselineStep, isElected: boolean): Fault[] {
  const requests = step.requests.flatMap(({ number, isWrite, path }): Fault[] => {
    // Elections renew their Lease without end; that has tests of its own, and here a few will do.
    const isOneOfMany = isElected && (!isWrite || (path.includes('/leases') && number % 16 !== 0))
    if (isOneOfMany) return []
    return faultsOf({ isWrite }, isElected).map((kind) => ({ at: 'request', number, kind }))
  })
  const kinds = Object.keys(eventFaults) as EventFault[]
  const events = step.events.flatMap((_, index): Fault[] =>
    kinds.map((kind) => ({ at: 'event', number: index + 1, kind })),
  )
  return [...requests, ...events, ...(isElected ? awakeAtEachWrite(step) : staleInEachReconcile(step))]
}

const racingKind = 'frozen, racing'

/** The user goes on before the first step has had any effect, and the operator sees only one of the two. */
function staleInRace(step: number, lines: number): History[] {
  return Array.from({ length: Math.min(lines, 4) }, (_, index) => {
    return { step, faults: [{ at: 'event', number: index + 1, kind: 'frozen for 4 s' }], raceMs }
  })
}

/** Every store, frozen at each of its versions until each of the reconciles that follow. */
function staleInEachReconcile({ events, reconciles }: BaselineStep): Fault[] {
  return events.flatMap((before, index) =>
    Array.from({ length: reconciles - before }, (_, more): Fault => {
      return { at: 'event', number: index + 1, kind: 'frozen', untilReconcile: more + 1 }
    }),
  )
}

/** The leader, stopped at each write, until each of those that its successor may do in its place. */
function awakeAtEachWrite({ requests }: BaselineStep): Fault[] {
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
export function* severalFaults(baselines: readonly Baseline[], seed: number): Generator<Planned> {
  const random = seeded(seed)
  const steps = stepsOf(baselines)
  const calm = steps.filter(({ isNew, isElected }) => isNew && !isElected)
  const racing = steps.filter(({ isNewInRace, isElected }) => isNewInRace && !isElected)
  const elected = steps.filter(({ isNew, isElected }) => isNew && isElected)
  for (;;) {
    // One in a hundred among several operators: these take their time.
    const wanted = random() < 0.01 ? elected : random() < 1 / 6 ? racing : calm
    const among = [wanted, calm, elected].find(({ length }) => length > 0) ?? []
    const { story, step, isElected } = among[below(among.length, random)] as StepOfStory
    const { steps } = baselines[story] as Baseline
    const count = random() < 0.7 ? 2 : 3
    const faults = faultsAtOnce(steps[step] as BaselineStep, isElected, count, random)
    const isJittery = random() < 0.5
    const isRacing = among === racing
    yield {
      story,
      history: {
        step,
        faults,
        ...(isJittery && { seed: below(1_000_000, random) }),
        ...(isRacing && { raceMs: below(random() < 0.5 ? 60 : 4_000, random) }),
      },
      kind: isRacing ? 'several, racing' : isJittery ? 'several, with delays' : 'several',
    }
  }
}

/** So many faults, each at a point of its own. */
function faultsAtOnce(step: BaselineStep, isElected: boolean, count: number, random: Random): Fault[] {
  const faults: Fault[] = []
  while (faults.length < count) {
    const fault = anyFault(step, isElected, faults, random)
    if (!faults.some(({ at, number }) => at === fault.at && number === fault.number)) faults.push(fault)
  }
  return faults
}

/** At a point that there is without faults; or, where the operator dies before, among what it then does anew. */
function anyFault(step: BaselineStep, isElected: boolean, others: readonly Fault[], random: Random): Fault {
  const { requests, events } = step
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
  if (!isWrite && random() < 0.6) return anyFault(step, isElected, others, random)
  const kinds = faultsOf({ isWrite }, isElected)
  return { at: 'request', number, kind: kinds[below(kinds.length, random)] ?? 'answer 500' }
}

/** Which histories to play: those with a single fault, all of them if there is room, and others between them. */
export interface Plan extends PlanInNumbers {
  readonly histories: Iterable<Planned>
}

/** So much is theirs at least; where there is no room for all of them, other seeds have the others. */
const shareOfSingles = 0.75

/** How many histories: in all, or every one with a single fault and so many with several. */
export type PlanSize = { readonly histories: number } | { readonly several: number }

export function planOf(baselines: readonly Baseline[], size: PlanSize, seed: number): Plan {
  const singles = shuffled(everySingleFault(baselines), 1)
  const wanted = 'histories' in size ? size.histories : singles.length + size.several
  const chosen = Math.min(singles.length, Math.ceil(wanted * (singles.length > wanted ? shareOfSingles : 1)))
  // Each seed goes on where the one before ended.
  const from = chosen === singles.length ? 0 : ((seed - 1) * chosen) % singles.length
  return { singles: singles.length, chosen, wanted, histories: inTurn() }

  /** Mixed, so that a campaign that stops early has played both kinds; the single faults are finished first. */
  function* inTurn(): Generator<Planned> {
    const several = severalFaults(baselines, seed)
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

/** So many are sorted at a time: a campaign that stops early has played some of every story. */
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
    const step = [Math.floor(number / atATime), planned.story, planned.history.step].join()
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
