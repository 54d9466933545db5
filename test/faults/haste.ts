import { Faults } from './faults.ts'
import type { Chapter } from './history.ts'
import type { Story } from './stories.ts'
import { User } from './user.ts'
import { RefusedError, World } from './world/world.ts'

/** So soon after a step the user takes the next one: the operator has hardly seen the first. */
export const hasteMs = 1

/** Long enough for an operator to have seen everything, and for its watches to go on. */
const startMs = 20

/** How many lines of watches there are when the next step follows at once: two steps may come to less than one. */
export async function linesInHaste(
  { platform, operators = 1 }: Story,
  { before, step }: Chapter,
  next: Chapter,
): Promise<number> {
  const world = await World.on({ platform, operators, seed: 1, after: before, interference: new Faults([]) })
  world.startOperators()
  if (world.isElected) await world.rest()
  else await world.pass(startMs)
  step.act(new User(world))
  await world.pass(hasteMs)
  try {
    next.step.act(new User(world))
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
  }
  await world.rest()
  world.end()
  return world.traffic.events
}
