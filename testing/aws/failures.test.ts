import { expect } from 'vitest'
import { closeTheGateway, openTheGateway } from '../clusters/aws/account.ts'
import type { CloudFault } from '../clusters/aws/cloud-faults.ts'
import type { Router } from '../e2e/router.ts'
import { awsStories } from './story.ts'

const { story, onTheRealOne } = awsStories()

const ofType = (type: 'Classic' | 'NLB') => ({ providerParameters: { type: 'AWS', aws: { type } } })

/** The next try may be 20 seconds away, if this machine is slow. */
const nextTryMs = 60_000

/** Conditions and Event quote the cloud. */
async function isQuoted(router: Router, message: RegExp) {
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'SyncLoadBalancerFailed', message })
  await router.reports('Available', { status: 'False', message })
  await router.recordsEvents('LoadBalancerFailed')
  const [failure] = (await router.events()).filter(({ reason }) => reason === 'LoadBalancerFailed')
  expect(failure?.message).toMatch(message)
}

async function isOver(router: Router) {
  await router.reports('LoadBalancerReady', { status: 'True' }, nextTryMs)
  await router.recordsEvents('LoadBalancerReady')
}

const service = { Classic: 'Elastic Load Balancing', NLB: 'Elastic Load Balancing v2' } as const

for (const type of ['Classic', 'NLB'] as const) {
  const failing = `failed to ensure load balancer: .*operation error ${service[type]}: CreateLoadBalancer, https response error StatusCode:`
  const refusals: readonly (readonly [CloudFault['type'] & ('denied' | 'quota'), RegExp])[] = [
    ['denied', new RegExp(`${failing} 403, .*AccessDenied: User: .* is not authorized to perform`)],
    ['quota', new RegExp(`${failing} 400, .*TooManyLoadBalancers: `)],
  ]
  for (const [fault, message] of refusals) {
    story(
      `${type}: the refusal of a new load balancer (${fault}) is reported until it is provisioned`,
      async (aws) => {
        const { cluster, cloud } = aws
        const router = cluster.router('edge')
        await cloud.fails({ type: fault }, 'CreateLoadBalancer', router)
        await cluster.create('edge', { scope: 'External', ...ofType(type) })
        await isQuoted(router, message)
        await cloud.repair()
        await isOver(router)
        await cloud.has(router, { type, scheme: 'internet-facing' })
      },
    )
  }

  story(
    `${type}: a deletion that the cloud refuses is reported, and goes on after the repair`,
    async (aws) => {
      const { cluster, cloud } = aws
      const router = await cluster.publish('edge', { scope: 'External', ...ofType(type) })
      const { uid } = (await router.service()).metadata
      const address = await router.address()
      await cloud.fails({ type: 'denied' }, 'DeleteLoadBalancer', router)
      await router.change({ scope: 'Internal' })
      await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
      await router.deleteService()

      const message = new RegExp(
        `is being deleted; waiting for the cloud to remove the load balancer.*The cloud reports: ".*failed to delete load balancer: .*${service[type]}: DeleteLoadBalancer, .*AccessDenied: `,
      )
      await router.reports('Progressing', { status: 'True', reason: 'ReplacingLoadBalancer', message })
      await router.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceBeingDeleted', message })
      await router.reports('Available', { status: 'False', message })
      expect([(await router.service()).metadata.uid, await router.address()]).toEqual([uid, address])
      await cloud.has(router, { type, scheme: 'internet-facing' })

      await cloud.repair()
      await router.reports('Progressing', { status: 'False' }, nextTryMs)
      await router.isProvided()
      await cloud.has(router, { type, scheme: 'internal' })
    },
  )
}

story('The operator waits for a slow deletion, and reports the wait', async ({ cluster, cloud }) => {
  const router = await cluster.publish('edge', { scope: 'External' })
  await cloud.fails({ type: 'slow', delayMs: 3_000 }, 'DeleteLoadBalancer', router)
  const { uid } = (await router.service()).metadata
  await router.change({ scope: 'Internal' })
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  await router.deleteService()
  await router.reports('Progressing', { status: 'True', reason: 'ReplacingLoadBalancer' })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceBeingDeleted' })
  await router.serviceAfter(uid)
  await router.isProvided()
  await cloud.has(router, { scheme: 'internal' })
})

story(
  'A deleted controller stays until the cloud releases its load balancer, and quotes the cloud',
  async (aws) => {
    const { cluster, cloud } = aws
    const router = await cluster.publish('edge', { scope: 'External' })
    await cloud.fails({ type: 'denied' }, 'DeleteLoadBalancer', router)
    await router.delete()
    await router.reports('LoadBalancerReady', {
      status: 'False',
      message: /DeleteLoadBalancer, .*AccessDenied/,
    })
    await cloud.has(router, { scheme: 'internet-facing' })
    await cloud.repair()
  },
)

/** Calls that do not name a Service: these stories run one at a time. */
const forAll: readonly (readonly [string, CloudFault, string, RegExp])[] = [
  [
    'throttles',
    { type: 'throttled' },
    'DescribeSubnets',
    /error describing subnets: .*DescribeSubnets, exceeded maximum number of attempts, .*RequestLimitExceeded: Rate exceeded/,
  ],
  [
    'cannot be reached',
    { type: 'dropped' },
    'DescribeSubnets',
    /error describing subnets: .*DescribeSubnets, exceeded maximum number of attempts, .*EOF/,
  ],
]
for (const [what, fault, action, message] of forAll) {
  onTheRealOne(`A cloud that ${what} is quoted until it answers`, async ({ cluster, real }) => {
    await real.failsForAll(fault, action)
    const router = await cluster.create('edge', { scope: 'External' })
    await isQuoted(router, message)
    await real.repair()
    await isOver(router)
  })
}

onTheRealOne('A network without public subnets is reported until it has some', async ({ cluster, real }) => {
  await closeTheGateway(real.api, real.account)
  const router = cluster.router('edge')
  try {
    await cluster.create('edge', { scope: 'External' })
    await isQuoted(router, /could not find any suitable subnets for creating the ELB/)
  } finally {
    await openTheGateway(real.api, real.account)
  }
  await isOver(router)
  await real.has(router, { scheme: 'internet-facing', subnets: 'public' })
})

onTheRealOne(
  'A failing update keeps the address, and is reported nevertheless',
  async ({ cluster, real }) => {
    const router = await cluster.publish('edge', { scope: 'External' })
    const address = await router.address()
    await real.fails({ type: 'denied' }, 'DescribeLoadBalancers', router)
    await router.change({ allowedSourceRanges: ['198.51.100.0/24'] })
    await isQuoted(router, /DescribeLoadBalancers, .*AccessDenied/)
    expect(await router.address()).toBe(address)
    await real.repair()
    await isOver(router)
    await real.has(router, { sourceRanges: ['198.51.100.0/24'] })
  },
)

onTheRealOne(
  'A cloud that cannot be asked before a deletion is quoted until it answers',
  async ({ cluster, real }) => {
    const router = await cluster.publish('edge', { scope: 'External' })
    await real.fails({ type: 'dropped' }, 'DescribeLoadBalancers', router)
    await router.deleteService()
    await router.reports('LoadBalancerReady', {
      status: 'False',
      reason: 'ServiceBeingDeleted',
      message: /failed to check if load balancer exists before cleanup: .*DescribeLoadBalancers, .*EOF/,
    })
    await real.repair()
    await router.reports('LoadBalancerReady', { status: 'True' }, nextTryMs)
  },
)
