import { describe, expect, it } from 'vitest'
import { type BaselineStep, baselineSteps, playHistory } from '../history.ts'
import { noSuchStory, stories } from './stories.ts'
import type { Story } from './story.ts'

function storyNamed(name: string): Story {
  const story = stories.find((one) => one.name.includes(name))
  if (story === undefined) throw new Error(`There is no story "${name}".`)
  return story
}

async function baselineStepsNamed(name: string): Promise<readonly BaselineStep[]> {
  return baselineSteps(storyNamed(name))
}

describe('Stories of a cloud that refuses', { timeout: 120_000 }, () => {
  it('The stories of a refusing cloud reach the states that they describe', async () => {
    const steps = await baselineStepsNamed('AWS: the cloud refuses a load balancer')
    const reasons = ['SyncLoadBalancerFailed', 'LoadBalancerProvisioned']
    expect(steps).toHaveLength(reasons.length)
    for (const [index, { state }] of steps.entries()) expect(state).toContain(`"reason":"${reasons[index]}"`)
  })
})

describe('Stories of conflicting writers', { timeout: 120_000 }, () => {
  const deployment = (state: string) =>
    state.split('\n').find((line) => line.startsWith('apps/deployments openshift-ingress/router-edge')) ?? ''

  it.each([
    ['an autoscaler wants', ['"replicas":1', '"replicas":3', '"replicas":2']],
    ['an autoscaler decides', ['"replicas":2', '"replicas":3']],
  ])('The story reaches the states that it describes: %s', async (name, said) => {
    const steps = await baselineStepsNamed(name)
    expect(steps).toHaveLength(said.length)
    for (const [index, { state }] of steps.entries()) expect(deployment(state)).toContain(said[index])
  })
})

describe('Stories of addresses', { timeout: 120_000 }, () => {
  const ingress = (state: string) =>
    state.split('\n').find((line) => line.startsWith('networking.k8s.io/ingresses shop/cart')) ?? ''

  it.each([
    ['a load balancer that the customer owns', ['"ip":"172.22.0.8"', '"ip":"172.22.0.9"']],
    [
      'the operator is configured with an address',
      ['', '"lb.example.com"}]', '"lb.example.com"},{"ip":"172.22.0.9"'],
    ],
    [
      'of a Service that the operator is configured with, and lose',
      ['', '"hostname":"HOST', '"loadBalancer":{}'],
    ],
    ['when it gets another address', ['', '"ip":"PUBLIC"', '"ip":"INTERNAL"']],
    ['from the load balancer to the nodes', ['', '"ip":"PUBLIC"', '"ip":"NODE"', '"ip":"NODE"']],
    ['some time after their controller', ['', '"hostname":"HOST', '"loadBalancer":{}']],
  ])('The story reaches the states that it describes: %s', async (name, said) => {
    const steps = await baselineStepsNamed(name)
    expect(steps).toHaveLength(said.length)
    for (const [index, { state }] of steps.entries()) expect(ingress(state)).toContain(said[index])
  })
})

describe('The story of a leader that hands over', { timeout: 120_000 }, () => {
  it('A stopped leader finishes what it has begun, and the next one continues long before the Lease would expire', async () => {
    const story = storyNamed('the leader is stopped')
    const history = { step: 1, faults: [] }
    const { trace } = await playHistory(story, await baselineSteps(story), history, true)
    const writes = trace.slice(trace.findIndex((line) => line.includes('the user'))).flatMap((line) => {
      const [, at, operator] = /^([\d.]+) s request \d+: (\S+) (?!.*\/leases)/.exec(line) ?? []
      return operator === undefined ? [] : [{ at: Number(at), operator }]
    })
    const [first] = writes
    const handedOver = writes.findIndex(({ operator }) => operator !== first?.operator)
    expect(handedOver).toBeGreaterThan(0)
    const [next, ...rest] = writes.slice(handedOver)
    expect((next?.at ?? Infinity) - (first?.at ?? 0)).toBeLessThan(3)
    expect(rest.map(({ operator }) => operator)).not.toContain(first?.operator)
  })
})

it('The error of an unknown story lists the stories that exist', () => {
  const answer = noSuchStory('NO-SUCH')
  expect(answer).toContain('"NO-SUCH"')
  for (const { name } of stories) expect(answer).toContain(`\n  ${name}`)
})
