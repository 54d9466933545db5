import { describe, expect, it } from 'vitest'
import { chaptersOf } from './history.ts'
import { stories } from './stories.ts'

describe('the stories of addresses', { timeout: 120_000 }, () => {
  const ingress = (state: string) =>
    state.split('\n').find((line) => line.startsWith('networking.k8s.io/ingresses shop/cart')) ?? ''

  it.each([
    ['a load balancer that the customer owns', ['"ip":"172.22.0.8"', '"ip":"172.22.0.9"']],
    ['the operator is told', ['', '"lb.example.com"}]', '"lb.example.com"},{"ip":"172.22.0.9"']],
    ['from the load balancer to the nodes', ['', '"ip":"PUBLIC"', '"ip":"NODE"', '"ip":"NODE"']],
    ['some time after their controller', ['', '"hostname":"HOST', '"loadBalancer":{}']],
  ])('come to what they tell of: %s', async (name, said) => {
    const [story] = stories.filter((one) => one.name.includes(name))
    const chapters = story === undefined ? [] : await chaptersOf(story)
    expect(chapters).toHaveLength(said.length)
    for (const [index, { state }] of chapters.entries()) expect(ingress(state)).toContain(said[index])
  })
})
