import { expect } from 'vitest'
import { portcullis } from '../e2e/checked-plan.ts'
import { awsStories } from './story.ts'

const { story } = awsStories()

for (const type of ['Classic', 'NLB'] as const) {
  const ofType = { providerParameters: { type: 'AWS', aws: { type } } }

  story(`${type}: portcullis scope changes the scope to the end, and shows its progress`, async (aws) => {
    const { cluster, cloud } = aws
    const router = await cluster.publish('edge', { scope: 'External', ...ofType })
    const args = ['scope', router.name, 'Internal', '--yes', '--delete-load-balancer']
    const { stdout, stderr, code } = await portcullis(cluster, args)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/"External" → "Internal"[^]*-\/\+ Service[^]*is Internal: \S+elb\S*amazonaws\.com/)
    expect(stdout).toMatch(/^… /m)
    await cloud.has(router, { type, scheme: 'internal' })
  })
}

story('portcullis status quotes the cloud, until the failure is over', async (aws) => {
  const { cluster, cloud } = aws
  const router = cluster.router('edge')
  await cloud.fails({ type: 'quota' }, 'CreateLoadBalancer', router)
  await cluster.create('edge', { scope: 'External' })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'SyncLoadBalancerFailed' })
  expect((await portcullis(cluster, ['status', router.name])).stdout).toContain('TooManyLoadBalancers')
  await cloud.repair()
  await router.reports('LoadBalancerReady', { status: 'True' }, 60_000)
  expect((await portcullis(cluster, ['status', router.name])).stdout).not.toContain('TooManyLoadBalancers')
})
