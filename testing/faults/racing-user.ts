import { Faults } from './faults.ts'
import { type BaselineStep, takeSteps } from './history.ts'
import { Simulation } from './simulation/simulation.ts'
import type { Story } from './stories/story.ts'

/** So soon after a step the user takes the next one: the operator has hardly seen the first. */
export const raceMs = 1

/** How many lines of watches there are when the next step follows at once: two steps may come to less than one. */
export async function linesWhenRacing(
  { platform, operators = 1 }: Story,
  { before, step }: BaselineStep,
  next: BaselineStep,
): Promise<number> {
  const simulation = await Simulation.on({
    platform,
    operators,
    seed: 1,
    after: before,
    interference: new Faults([]),
  })
  await takeSteps(simulation, step, { step: next.step, afterMs: raceMs })
  await simulation.rest()
  simulation.end()
  return simulation.traffic.events
}
