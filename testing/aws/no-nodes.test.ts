import { Node, type Persisted } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from '../e2e/cluster.ts'
import type { Router } from '../e2e/router.ts'
import { awsStories } from './story.ts'

const { alone } = awsStories()

const excluded = 'node.kubernetes.io/exclude-from-external-load-balancers'

/** Keeps every node away from load balancers, the first before the others. */
async function excludeAll(cluster: Cluster, router: Router) {
  const [first, ...others] = (await cluster.client.list(Node)).items
  await mark(cluster, first === undefined ? [] : [first], '')
  await eventually(async () =>
    expect((await router.cloudEvents()).map(({ reason }) => reason)).toContain('UpdatedLoadBalancer'),
  )
  await mark(cluster, others, '')
}

async function includeAll(cluster: Cluster) {
  await mark(cluster, (await cluster.client.list(Node)).items, null)
}

async function mark({ client }: Cluster, nodes: readonly Persisted[], value: '' | null) {
  for (const { metadata } of nodes) {
    await client.patch(Node, metadata, {
      type: 'merge',
      body: { metadata: { labels: { [excluded]: value } } },
    })
  }
}

for (const type of ['Classic', 'NLB'] as const) {
  const spec = { scope: 'External', providerParameters: { type: 'AWS', aws: { type } } }

  alone(
    `${type}: a load balancer without nodes behind it is not reported as ready`,
    async ({ cluster, cloud }) => {
      const withoutNodes = { status: 'False', reason: 'LoadBalancerWithoutNodes' } as const
      const old = await cluster.publish('old', spec)
      await cloud.has(old, { type, targets: 'all' })
      const young = cluster.router('young')
      try {
        await excludeAll(cluster, old)
        await old.reports('LoadBalancerReady', withoutNodes)
        await old.reports('Available', {
          status: 'False',
          message: 'has no nodes, so no traffic gets through',
        })
        await cloud.has(old, { type, targets: 'none' })
        await cluster.create('young', spec)
        await young.reports('LoadBalancerReady', withoutNodes)
        await cloud.has(young, { type, targets: 'none' })
      } finally {
        await includeAll(cluster)
      }
      for (const router of [old, young]) {
        await router.isProvided()
        await cloud.has(router, { type, targets: 'all' })
      }
    },
  )
}
