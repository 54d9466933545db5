import { Service } from '@portcullis/kube'
import { expect } from 'vitest'
import type { Cluster } from './cluster.ts'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

/** An unowned Service of the name that the controller `edge` wants. */
async function unownedService(cluster: Cluster) {
  await cluster.prepare()
  return cluster.client.create(Service, {
    metadata: { ...cluster.router('edge').operandRef, labels: { app: 'other' } },
    spec: { ports: [{ port: 8080 }], selector: { app: 'other' } },
  })
}

story(
  'An unowned Service of the same name is left alone and named, also when the controller is deleted',
  async (cluster) => {
    const before = await unownedService(cluster.on('AWS'))
    const router = await cluster.create('edge', { scope: 'External' })
    const { namespace, name } = router.operandRef
    await router.reports('LoadBalancerReady', {
      status: 'False',
      reason: 'ServiceNotOurs',
      message: `The service ${namespace}/${name} already exists but is not managed by this IngressController`,
    })
    await router.reports('Available', { status: 'False', message: 'ServiceNotOurs' })
    await router.change({ scope: 'Internal' })
    await router.everythingIsSeen()
    expect(await router.service()).toEqual(before)

    await router.delete()
    await router.isGone()
    expect(await router.service()).toEqual(before)
  },
)

story('The operator creates its Service once the unowned one is gone', async (cluster) => {
  await unownedService(cluster.on('AWS'))
  const router = await cluster.create('edge', { scope: 'External' })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceNotOurs' })
  await router.deleteService()
  await router.isProvided()
  expect((await router.service()).spec?.type).toBe('LoadBalancer')
})

story('The operator adopts an unowned Service by the command in the message', async (cluster) => {
  const before = await unownedService(cluster.on('AWS'))
  await cluster.client.patch(Service, before.metadata, {
    type: 'merge',
    body: { spec: { type: 'LoadBalancer' } },
  })
  const router = await cluster.create('edge', { scope: 'External' })
  const [handOver = ''] = commandsIn(
    await router.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceNotOurs' }),
  )
  await cluster.run(handOver)
  await router.isProvided()
  const after = await router.service()
  expect(after.metadata.uid).toBe(before.metadata.uid)
  expect(after.metadata.labels).toMatchObject({ app: 'other' })
  await router.delete()
  await router.isGone()
  await expect(router.service()).rejects.toThrow('NotFound')
})
