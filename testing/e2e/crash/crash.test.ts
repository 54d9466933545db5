import { afterAll, expect, test } from 'vitest'
import { CrashingOperator } from './crashing-operator.ts'
import { CrashTestSandbox, eventually } from './isolated-controller.ts'
import { normalise } from './normalise.ts'
import { type Story, stories } from './stories.ts'

/**
 * The operator crashes after each single write of each story, before it gets the response, and another takes over:
 * in the end everything is as if nothing had happened.
 */
const sandboxes = new Map<string, Promise<CrashTestSandbox>>()
const sandboxOn = (platform: Story['platform']) => {
  const found = sandboxes.get(platform) ?? CrashTestSandbox.on(platform)
  sandboxes.set(platform, found)
  return found
}

afterAll(async () => {
  for (const each of sandboxes.values()) await (await each).close()
})

interface CrashRun {
  readonly state: object
  /** What the first operator wrote, from the beginning of the story on. */
  readonly written: readonly string[]
}

/** @param writes of the story that the first operator carries out before it dies */
async function play({ platform, given, steps }: Story, writes: number): Promise<CrashRun> {
  const shared = await sandboxOn(platform)
  const controller = await shared.controller()
  const { access } = shared.sandbox
  const first = new CrashingOperator(access, controller.settings)
  let operator = Promise.resolve(first)
  const take = async ({ act, isDone }: Story['steps'][number]) => {
    await act(controller)
    await eventually(async () => (await isDone(controller)) && (await controller.isUpToDate()))
  }
  try {
    for (const step of given) await take(step)
    const before = first.written.length
    first.crashAfter(writes)
    void first.crashed.then(() => {
      operator = first.end().then(() => new CrashingOperator(access, controller.settings))
    })
    for (const step of steps) await take(step)
    return {
      state: normalise(await controller.everything(), controller),
      written: first.written.slice(before),
    }
  } finally {
    await (await operator).end()
  }
}

test.each(stories)('The operator can crash after any write of $name', { timeout: 60_000 }, async (story) => {
  const undisturbed = await play(story, Infinity)
  const deaths = undisturbed.written.map(async (write, index) => {
    const { state } = await play(story, index + 1)
    expect(state, `after it crashed at write ${index + 1}, ${write}`).toEqual(undisturbed.state)
  })
  await Promise.all(deaths)
})
