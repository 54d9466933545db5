import { describe, expect, it } from 'vitest'
import { type Chapter, chaptersOf } from './history.ts'
import { stories } from './stories.ts'

async function chaptersNamed(name: string): Promise<readonly Chapter[]> {
  const [story] = stories.filter((one) => one.name.includes(name))
  return story === undefined ? [] : chaptersOf(story)
}

describe('the stories of a cloud that refuses', { timeout: 120_000 }, () => {
  it('come to what they tell of', async () => {
    const chapters = await chaptersNamed('AWS: the cloud refuses a load balancer')
    const reasons = ['SyncLoadBalancerFailed', 'LoadBalancerProvisioned']
    expect(chapters).toHaveLength(reasons.length)
    for (const [index, { state }] of chapters.entries())
      expect(state).toContain(`"reason":"${reasons[index]}"`)
  })
})

describe('the stories of addresses', { timeout: 120_000 }, () => {
  const ingress = (state: string) =>
    state.split('\n').find((line) => line.startsWith('networking.k8s.io/ingresses shop/cart')) ?? ''

  it.each([
    ['a load balancer that the customer owns', ['"ip":"172.22.0.8"', '"ip":"172.22.0.9"']],
    ['the operator is told', ['', '"lb.example.com"}]', '"lb.example.com"},{"ip":"172.22.0.9"']],
    ['of a Service that the operator is told', ['', '"hostname":"HOST', '"loadBalancer":{}']],
    ['from the load balancer to the nodes', ['', '"ip":"PUBLIC"', '"ip":"NODE"', '"ip":"NODE"']],
    ['some time after their controller', ['', '"hostname":"HOST', '"loadBalancer":{}']],
  ])('come to what they tell of: %s', async (name, said) => {
    const chapters = await chaptersNamed(name)
    expect(chapters).toHaveLength(said.length)
    for (const [index, { state }] of chapters.entries()) expect(ingress(state)).toContain(said[index])
  })
})
