import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { expect } from 'vitest'
import { Invariants } from './invariants.ts'
import { Simulation } from './simulation/simulation.ts'
import { User } from './user.ts'

export const external = { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } }

/** A quiescent simulation after what a user has done, without its operators; and what was noticed in it. */
export async function simulationOf(
  act: (user: User) => void,
  { after, platform = 'AWS' }: { after?: Simulation; platform?: CloudPlatformName | undefined } = {},
) {
  const passes = { fate: 'passes' } as const
  const simulation = await Simulation.on({
    platform,
    seed: 1,
    operators: 1,
    interference: { request: () => passes, event: () => passes },
    ...(after && { after }),
  })
  const invariants = new Invariants(simulation, {})
  simulation.startOperators()
  await simulation.rest()
  act(new User(simulation))
  await simulation.rest()
  await simulation.pass(130_000)
  simulation.end()
  invariants.checkAtRest(0)
  expect(invariants.broken).toEqual([])
  return { simulation, invariants }
}

export const publishes = (user: User) => {
  user.publish(external)
  user.createIngress('cart')
}
