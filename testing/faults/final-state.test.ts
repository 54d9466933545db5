import { expect, test } from 'vitest'
import { isVolatile, volatileFields } from '../clusters/volatile-fields.ts'
import { finalState } from './final-state.ts'
import { baselineSteps, playHistory } from './history.ts'
import { publishes, simulationOf } from './quiescent-simulation.ts'
import type { Story } from './stories/story.ts'

test('The comparison ignores node port numbers, but not the nodePort of a strategy', async () => {
  expect(isVolatile('nodePort', 30_080)).toBe(true)
  expect(isVolatile('nodePort', { protocol: 'PROXY' })).toBe(false)
  for (const field of volatileFields) expect(isVolatile(field, 1)).toBe(true)

  const { simulation } = await simulationOf((user) =>
    user.publish({ type: 'NodePortService', nodePort: { protocol: 'PROXY' } }),
  )
  const state = finalState(simulation)
  expect(state).toContain('"nodePort":{"protocol":"PROXY"}')
  expect(state).not.toMatch(/"nodePort":\d/)
})

test('The comparison reports a history that ends differently', async () => {
  const story: Story = {
    name: 'a controller',
    platform: 'AWS',
    steps: [{ does: 'publishes a controller', act: publishes }],
  }
  const steps = await baselineSteps(story)
  const others = steps.map((step) => ({
    ...step,
    state: step.state.replace('External', 'Other'),
  }))
  const history = { step: 0, faults: [] }
  expect((await playHistory(story, steps, history)).broken).toEqual([])
  expect((await playHistory(story, others, history)).broken.join()).toContain('it ends otherwise')
})
