import type { Random } from '../../src/kube/backoff.ts'
import { type EventFault, eventFaults, type Fault, faultsOf } from './faults.ts'
import type { Chapter, History } from './history.ts'
import type { Story } from './stories.ts'
import { seeded } from './world/random.ts'

/** A story, and how it goes when nothing goes wrong. */
export interface Told {
  readonly story: Story
  readonly chapters: readonly Chapter[]
}

/** One history of one story. */
export interface Planned {
  readonly story: number
  readonly history: History
  /** By what it is counted: the kind of its fault, or of several. */
  readonly kind: string
}

/** Every fault at every point of every step, alone. What two stories have in common is played once. */
export function everySingleFault(told: readonly Told[]): Planned[] {
  const seen = new Set<string>()
  return told.flatMap(({ story, chapters }, index) =>
    chapters.flatMap((chapter, number): Planned[] => {
      const before = chapters[number - 1]?.state ?? ''
      const key = [story.platform, story.operators, before, chapter.state].join('\n')
      if (seen.has(key)) return []
      seen.add(key)
      return singleFaults(chapter, (story.operators ?? 1) > 1).map((fault) => ({
        story: index,
        history: { chapter: number, faults: [fault] },
        kind: fault.kind,
      }))
    }),
  )
}

function singleFaults(chapter: Chapter, isElected: boolean): Fault[] {
  const requests = chapter.requests.flatMap(({ number, isWrite, path }): Fault[] => {
    // Elections renew their Lease without end; that has tests of its own, and here a few will do.
    const isOneOfMany = isElected && (!isWrite || (path.includes('/leases') && number % 16 !== 0))
    if (isOneOfMany) return []
    return faultsOf({ isWrite }, isElected).map((kind) => ({ at: 'request', number, kind }))
  })
  const kinds = Object.keys(eventFaults) as EventFault[]
  const events = Array.from({ length: chapter.events }, (_, index) => index + 1).flatMap((number): Fault[] =>
    kinds.map((kind) => ({ at: 'event', number, kind })),
  )
  return [...requests, ...events]
}

/** Two or three faults at once, anywhere, with answers and events that take their time, and users that do not. */
export function* severalFaults(told: readonly Told[], seed: number): Generator<Planned> {
  const random = seeded(seed)
  const single = told.flatMap(({ story }, index) => ((story.operators ?? 1) > 1 ? [] : [index]))
  for (let count = 0; ; count++) {
    // One in forty among several operators: these take their time.
    const index = random() < 0.025 ? below(told.length, random) : (single[below(single.length, random)] ?? 0)
    const { story, chapters } = told[index] as Told
    const chapter = below(chapters.length, random)
    const faults = Array.from({ length: random() < 0.7 ? 2 : 3 }, () =>
      anyFault(chapters[chapter] as Chapter, (story.operators ?? 1) > 1, random),
    )
    const isJittery = random() < 0.5
    const isHasty = chapter + 1 < chapters.length && random() < 0.3
    yield {
      story: index,
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

/** The first fault changes what comes after it, so that there may be more than there was without. */
function anyFault({ requests, events }: Chapter, isElected: boolean, random: Random): Fault {
  if (random() < 0.5 && events > 0) {
    const kinds = Object.keys(eventFaults) as EventFault[]
    return {
      at: 'event',
      number: 1 + below(Math.ceil(events * 1.3), random),
      kind: kinds[below(kinds.length, random)] ?? 'lost',
    }
  }
  const number = 1 + below(Math.ceil(requests.length * 1.2), random)
  const isWrite = requests[number - 1]?.isWrite ?? true
  // Most reads are at the start, and most of what matters is not.
  if (!isWrite && random() < 0.6) return anyFault({ requests, events } as Chapter, isElected, random)
  const kinds = faultsOf({ isWrite }, isElected)
  return { at: 'request', number, kind: kinds[below(kinds.length, random)] ?? 'answer 500' }
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
