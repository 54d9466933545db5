import { describe, expect, it } from 'vitest'
import {
  type Baseline,
  baselineOf,
  batchesOf,
  everySingleFault,
  type Planned,
  severalFaults,
} from './campaign.ts'
import { parseFault } from './faults.ts'
import { playPlanned } from './play-planned.ts'
import { stories } from './stories/stories.ts'
import { type Counts, extent } from './summary.ts'

async function baselineNamed(name: string): Promise<Baseline> {
  const story = stories.find((one) => one.name.includes(name))
  if (story === undefined) throw new Error(`${name} is the name of no story`)
  return baselineOf(story)
}

describe('The plan of a campaign', { timeout: 120_000 }, () => {
  it('The plan has a racing user wherever two steps are not those of another story, even if the first is', async () => {
    const agreed = [
      await baselineNamed('AWS: scope changes with auto-delete'),
      await baselineNamed('AWS: a scope change with auto-delete, of which the user thinks better'),
    ]
    const racing = everySingleFault(agreed).filter(({ history }) => history.raceMs !== undefined)
    const steps = new Set(racing.map(({ story, history }) => `${story}, ${history.step}`))
    expect([...steps]).toEqual(['0, 0', '0, 1', '1, 1'])
  })

  it('The plan freezes a cache for a racing user only where the two steps cause watch events', async () => {
    const all = [await baselineNamed('AWS: a scope change, taken back')]
    const racing = everySingleFault(all).filter(({ history }) => history.raceMs !== undefined)
    for (const planned of racing) expect(await playPlanned(all, planned)).toMatchObject({ happened: 'all' })
    expect(racing.filter(({ history }) => history.step === 1)).toHaveLength(4)
  })

  it('The plan has no racing user for a step that waits for the one before', async () => {
    const ranges = await baselineNamed('AWS: source ranges')
    const racing = everySingleFault([ranges]).filter(({ history }) => history.raceMs !== undefined)
    expect(new Set(racing.map(({ history }) => history.step))).toEqual(new Set([0, 2]))
  })

  it('The plan has several faults in the same steps as single ones, and a step that two stories share counts once', async () => {
    const all = [
      await baselineNamed('AWS: scope changes with auto-delete'),
      await baselineNamed('AWS: a scope change with auto-delete, of which the user thinks better'),
    ]
    const stepsIn = (planned: readonly Planned[], isRacing: boolean) => {
      const chosen = planned.filter(({ history }) => (history.raceMs !== undefined) === isRacing)
      return [...new Set(chosen.map(({ story, history }) => `${story}, ${history.step}`))].toSorted()
    }
    const generator = severalFaults(all, 1)
    const several = Array.from({ length: 400 }, () => generator.next().value as Planned)
    const singles = everySingleFault(all)
    expect(stepsIn(singles, false)).not.toContain('1, 0')
    for (const isRacing of [true, false])
      expect(stepsIn(several, isRacing)).toEqual(stepsIn(singles, isRacing))
  })

  it('The plan has several faults at points where nearly all of them happen', async () => {
    const all = [await baselineNamed('AWS: scope changes with auto-delete')]
    const generator = severalFaults(all, 1)
    const extents = []
    for (let count = 0; count < 50; count++) {
      const planned = generator.next().value as Planned
      extents.push((await playPlanned(all, planned)).happened)
    }
    expect(extents.filter((happened) => happened === 'all').length).toBeGreaterThan(40)
    expect(extents).not.toContain('none')
  })

  it('The plan is played in batches of one step each, with some of every story early', () => {
    const planned = Array.from({ length: 25_000 }, (_, number): Planned => {
      const history = { step: number % 2, faults: [] }
      return { story: number % 3, history, kind: `${number}` }
    })
    const batches = batchesOf(planned)
    expect(new Set(batches.flat())).toEqual(new Set(planned))
    for (const batch of batches) {
      const steps = new Set(batch.map(({ story, history }) => [story, history.step].join()))
      expect(steps.size).toBe(1)
      expect(batch.length).toBeLessThanOrEqual(200)
    }
    const soon = batches.slice(0, batches.length / 2)
    expect(new Set(soon.map(([first]) => first?.story))).toEqual(new Set([0, 1, 2]))
  })

  it('A history whose only fault never happens fails', async () => {
    const all = [await baselineNamed('GCP: client access')]
    const fault = parseFault('request 9999: crash after')
    const history = { step: 0, faults: [fault] }
    const ended = await playPlanned(all, { story: 0, history, kind: 'crash after' })
    expect(ended).toMatchObject({ happened: 'none', text: expect.stringContaining('has not happened') })
  })
})

describe('The result of a campaign', () => {
  const counts: Counts = new Map([
    ['a story\tlost', { passed: 70, failed: 0 }],
    ['a story\tseveral', { passed: 30, failed: 0 }],
  ])
  const several = { all: 28, some: 1, none: 1 }

  it('A campaign that played every single fault passes', () => {
    const { said, problem } = extent({ counts, several, plan: { singles: 70, chosen: 70, wanted: 100 } })
    expect(problem).toBeUndefined()
    expect(said.join('\n')).toBe(
      'All 70 histories with a single fault, and 30 with several.\n' +
        'Of those with several, all of their faults happened in 28, some in 1, none in 1.',
    )
  })

  it('A campaign without room for every single fault passes', () => {
    const { said, problem } = extent({ counts, several, plan: { singles: 200, chosen: 75, wanted: 100 } })
    expect(problem).toBeUndefined()
    expect(said[0]).toContain('70 of the 200 histories with a single fault (other seeds have others)')
  })

  it('A campaign that ran out of time before every single fault was played fails', () => {
    const { problem } = extent({ counts, several, plan: { singles: 71, chosen: 71, wanted: 100 } })
    expect(problem).toMatch(/^The time was over .*: 1 are missing\. Allow more --minutes/)
  })

  it.each([
    ['there was room for every single fault', { singles: 70, chosen: 70, wanted: 103 }],
    ['there was no room for every single fault', { singles: 200, chosen: 77, wanted: 103 }],
  ])(
    'A campaign that ran out of time before all requested histories were played fails, where %s',
    (_, plan) => {
      const { problem } = extent({ counts, several, plan })
      expect(problem).toMatch(
        /^The time was over before all histories .*: 3 are missing\. Allow more --minutes/,
      )
    },
  )

  it('A campaign that played nothing fails', () => {
    const { problem } = extent({ counts: new Map(), several, plan: { singles: 0, chosen: 0, wanted: 0 } })
    expect(problem).toBe('Nothing was played.')
  })
})
