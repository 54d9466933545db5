import { afterAll, expect, test } from 'vitest'
import { MortalOperator } from './crashing-operator.ts'
import { eventually, Premises } from './isolated-controller.ts'
import { normalise } from './normalise.ts'
import { type Story, stories } from './stories.ts'

/**
 * The operator dies after each single write of each story, before it hears the answer, and another one takes over:
 * in the end everything is as if nothing had happened.
 */
const premises = new Map<string, Promise<Premises>>()
const premisesOn = (platform: Story['platform']) => {
  const found = premises.get(platform) ?? Premises.on(platform)
  premises.set(platform, found)
  return found
}

afterAll(async () => {
  for (const each of premises.values()) await (await each).close()
})

interface Outcome {
  readonly state: object
  /** What the first operator wrote, from the beginning of the story on. */
  readonly written: readonly string[]
}

/** @param writes of the story that the first operator carries out before it dies */
async function play({ platform, given, steps }: Story, writes: number): Promise<Outcome> {
  const home = await premisesOn(platform)
  const place = await home.place()
  const { access } = home.sandbox
  const first = new MortalOperator(access, place.settings)
  let operator = Promise.resolve(first)
  const take = async ({ act, isDone }: Story['steps'][number]) => {
    await act(place)
    await eventually(async () => (await isDone(place)) && (await place.isUpToDate()))
  }
  try {
    for (const step of given) await take(step)
    const before = first.written.length
    first.dieAfter(writes)
    void first.died.then(() => {
      operator = first.end().then(() => new MortalOperator(access, place.settings))
    })
    for (const step of steps) await take(step)
    return { state: normalise(await place.everything(), place), written: first.written.slice(before) }
  } finally {
    await (await operator).end()
  }
}

test.each(stories)('$name', { timeout: 60_000 }, async (story) => {
  const undisturbed = await play(story, Infinity)
  const deaths = undisturbed.written.map(async (write, index) => {
    const { state } = await play(story, index + 1)
    expect(state, `after it died of write ${index + 1}, ${write}`).toEqual(undisturbed.state)
  })
  await Promise.all(deaths)
})
