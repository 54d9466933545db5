import { CoreEvent } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { expectedClouds } from '../conformance/controllers/expected-clouds.ts'
import type { Cluster } from './cluster.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

/** What people are promised after an event. */
const promptlyMs = 2_000

/** Waits until the cloud has complained. */
function complaint(router: Router) {
  return eventually(async () => {
    const [event] = (await router.cloudEvents()).filter(({ reason }) => reason === 'SyncLoadBalancerFailed')
    if (event === undefined) throw new Error('The cloud has not complained.')
    return event
  })
}

for (const platform of ['AWS', 'GCP', 'OpenStack'] as const) {
  story(`The cloud on ${platform} is quoted while it cannot provision a load balancer`, async (cluster) => {
    cluster.faults.inject('quota')
    const router = await cluster.on(platform).create('edge', { scope: 'External' })
    const { message = '' } = await complaint(router)
    expect(message).toMatch(expectedClouds[platform].quota)
    await router.reports(
      'LoadBalancerReady',
      { status: 'False', reason: 'SyncLoadBalancerFailed', message },
      promptlyMs,
    )
    await router.reports('Available', { status: 'False', message })
    await router.recordsEvents('LoadBalancerFailed')

    cluster.faults.repairAll()
    await router.reports('LoadBalancerReady', { status: 'True' })
    await router.recordsEvents('LoadBalancerReady')
  })
}

for (const platform of ['Azure', 'GCP'] as const) {
  story(
    `A failing change in place on ${platform} is reported, although there is an address`,
    async (cluster) => {
      const router = await cluster.on(platform).publish('edge', { scope: 'External' }, { replicas: 1 })
      await router.isUp()
      const address = await router.address()
      cluster.faults.inject('inPlaceChangeFails')
      await router.change({ scope: 'Internal' })
      const { message = '' } = await complaint(router)
      await router.reports(
        'LoadBalancerReady',
        { status: 'False', reason: 'SyncLoadBalancerFailed', message },
        promptlyMs,
      )
      await router.reports('Available', { status: 'False', message })
      expect(await router.address()).toBe(address)

      cluster.faults.repairAll()
      await router.reports('LoadBalancerReady', { status: 'True' })
      await router.reports('Available', { status: 'True' })
      await router.reports('Progressing', { status: 'False' })
      expect(await router.address()).toMatch(/^10\./)
    },
  )
}

story('A failed change in place that is reverted is over once the cloud says so', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const address = await router.address()
  cluster.faults.inject('inPlaceChangeFails')
  await router.change({ scope: 'Internal' })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'SyncLoadBalancerFailed' })
  await router.change({ scope: 'External' })
  await router.reports('LoadBalancerReady', { status: 'True' })
  await router.reports('Progressing', { status: 'False' })
  expect(await router.address()).toBe(address)
})

async function forgetEvents({ client, settings }: Cluster) {
  const { items } = await client.list(CoreEvent, { namespace: settings.operandNamespace })
  for (const { metadata } of items) await client.delete(CoreEvent, metadata)
}

story('An expired warning Event is not a success', async (cluster) => {
  cluster.faults.inject('quota')
  const router = await cluster.on('AWS').create('edge', { scope: 'External' })
  const failed = {
    status: 'False',
    reason: 'SyncLoadBalancerFailed',
    message: 'TooManyLoadBalancers',
  } as const
  await router.reports('LoadBalancerReady', failed)
  await cluster.stopCloud()

  await forgetEvents(cluster)
  await router.everythingIsSeen()
  await router.reports('LoadBalancerReady', failed)

  await cluster.stopOperator()
  await cluster.startOperator()
  await router.everythingIsSeen()
  await router.reports('LoadBalancerReady', failed)

  cluster.faults.repairAll()
  cluster.startCloud()
  await router.reports('LoadBalancerReady', { status: 'True' })
})

story('A warning about a deleted Service does not count for the next one', async (cluster) => {
  cluster.faults.inject('quota')
  const router = await cluster.on('AWS').create('edge', { scope: 'External' })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'SyncLoadBalancerFailed' })
  const { uid } = (await router.service()).metadata
  cluster.faults.repairAll()
  await router.deleteService()
  await router.serviceAfter(uid)
  await router.isProvided()
})
