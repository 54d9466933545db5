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
import { stories } from './stories.ts'
import { type Counts, extent } from './summary.ts'

async function told(name: string): Promise<Baseline> {
  const story = stories.find((one) => one.name.includes(name))
  if (story === undefined) throw new Error(`${name} is the name of no story`)
  return baselineOf(story)
}

describe('the plan of a campaign', { timeout: 120_000 }, () => {
  it('has a user in haste wherever two steps are not those of another story, even if the first is', async () => {
    const agreed = [
      await told('AWS: scope changes with auto-delete'),
      await told('AWS: a scope change with auto-delete, of which the user thinks better'),
    ]
    const racing = everySingleFault(agreed).filter(({ history }) => history.raceMs !== undefined)
    const steps = new Set(racing.map(({ story, history }) => `${story}, ${history.step}`))
    expect([...steps]).toEqual(['0, 0', '0, 1', '1, 1'])
  })

  it('freezes a store for a user in haste only where something comes of the two steps', async () => {
    const all = [await told('AWS: a scope change, taken back')]
    const racing = everySingleFault(all).filter(({ history }) => history.raceMs !== undefined)
    for (const planned of racing) expect(await playPlanned(all, planned)).toMatchObject({ happened: 'all' })
    expect(racing.filter(({ history }) => history.step === 1)).toHaveLength(4)
  })

  it('has nobody in haste who waits for the step before to have its effect', async () => {
    const ranges = await told('AWS: source ranges')
    const racing = everySingleFault([ranges]).filter(({ history }) => history.raceMs !== undefined)
    expect(new Set(racing.map(({ history }) => history.step))).toEqual(new Set([0, 2]))
  })

  it('has several faults at once where single ones are: what two stories have in common counts once', async () => {
    const all = [
      await told('AWS: scope changes with auto-delete'),
      await told('AWS: a scope change with auto-delete, of which the user thinks better'),
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

  it('has several faults at once where nearly all of them happen', async () => {
    const all = [await told('AWS: scope changes with auto-delete')]
    const generator = severalFaults(all, 1)
    const extents = []
    for (let count = 0; count < 50; count++) {
      const planned = generator.next().value as Planned
      extents.push((await playPlanned(all, planned)).happened)
    }
    expect(extents.filter((happened) => happened === 'all').length).toBeGreaterThan(40)
    expect(extents).not.toContain('none')
  })

  it('is played in batches of one step each, and something of every story soon', () => {
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

  it('is not kept by a history whose only fault never happens', async () => {
    const all = [await told('GCP: client access')]
    const fault = parseFault('request 9999: crash after')
    const history = { step: 0, faults: [fault] }
    const ended = await playPlanned(all, { story: 0, history, kind: 'crash after' })
    expect(ended).toMatchObject({ happened: 'none', text: expect.stringContaining('has not happened') })
  })
})

describe('the end of a campaign', () => {
  const counts: Counts = new Map([
    ['a story\tlost', { passed: 70, failed: 0 }],
    ['a story\tseveral', { passed: 30, failed: 0 }],
  ])
  const several = { all: 28, some: 1, none: 1 }

  it('is good when every single fault was played', () => {
    const { said, problem } = extent({ counts, several, plan: { singles: 70, chosen: 70, wanted: 100 } })
    expect(problem).toBeUndefined()
    expect(said.join('\n')).toBe(
      'All 70 histories with a single fault, and 30 with several.\n' +
        'Of those with several, all of their faults happened in 28, some in 1, none in 1.',
    )
  })

  it('is good when there was no room for every single fault', () => {
    const { said, problem } = extent({ counts, several, plan: { singles: 200, chosen: 75, wanted: 100 } })
    expect(problem).toBeUndefined()
    expect(said[0]).toContain('70 of the 200 histories with a single fault (other seeds have others)')
  })

  it('is bad when the time was over before every single fault was played', () => {
    const { problem } = extent({ counts, several, plan: { singles: 71, chosen: 71, wanted: 100 } })
    expect(problem).toMatch(/^The time was over .*: 1 are missing\. Allow more --minutes/)
  })

  it.each([
    ['there was room for every single fault', { singles: 70, chosen: 70, wanted: 103 }],
    ['there was not', { singles: 200, chosen: 77, wanted: 103 }],
  ])('is bad when the time was over before all was played that was asked for, and %s', (_, plan) => {
    const { problem } = extent({ counts, several, plan })
    expect(problem).toMatch(
      /^The time was over before all histories .*: 3 are missing\. Allow more --minutes/,
    )
  })

  it('is bad when nothing was played', () => {
    const { problem } = extent({ counts: new Map(), several, plan: { singles: 0, chosen: 0, wanted: 0 } })
    expect(problem).toBe('Nothing was played.')
  })
})
