import { Deployment, Ingress, Service } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { aClassOf, addressOf, aNamespace, anIngress, whileRecording } from './ingresses.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

/** A controller with routers, and another whose domain it cannot have. */
async function twoPublished(cluster: Cluster): Promise<{ edge: Router; taken: string }> {
  const taken = 'taken.example'
  await cluster.on('AWS').publish('other', { scope: 'External' }, { domain: taken })
  const edge = await cluster.publish('edge', { scope: 'Internal' }, { replicas: 1 })
  return { edge, taken }
}

story(
  'A refused controller gets its Service and its routers back as they were, and reports what exists',
  async (cluster) => {
    const { edge, taken } = await twoPublished(cluster)
    const { client } = cluster
    const { spec: routers } = await edge.deployment()
    await edge.changeSpec({ domain: taken, replicas: 2 })
    await edge.reports('Admitted', { status: 'False' })

    cluster.faults.inject('slowDeletion')
    const address = await edge.address()
    await client.delete(Service, edge.operandRef)
    await client.delete(Deployment, edge.operandRef)
    await edge.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceBeingDeleted' })
    await edge.reports('Published', { status: 'False' })
    await edge.reports('Progressing', { status: 'True' })

    await edge.isProvided()
    expect(await edge.address()).toMatch(/^internal-/)
    expect(await edge.address()).not.toBe(address)
    await edge.reports('Published', { status: 'True' })
    const { spec } = await edge.deployment()
    expect({ replicas: spec?.replicas, template: spec?.template }).toEqual({
      replicas: 1,
      template: routers?.template,
    })
    await edge.reports('Admitted', { status: 'False' })
  },
)

story(
  'A controller recreated with a mistake leaves its Ingresses their addresses for the whole grace period',
  async (cluster) => {
    const graceMs = 15_000
    cluster.withAddressSettings({ lostAddressGraceMs: graceMs })
    const { edge, taken } = await twoPublished(cluster)
    const { client } = cluster
    const namespace = await aNamespace(cluster)
    const own = await aClassOf(cluster, edge, `own-${namespace}`)
    await client.create(Ingress, anIngress(namespace, 'cart', own))
    const address = (await edge.address()) ?? ''
    const cart = () => client.get(Ingress, { namespace, name: 'cart' })
    await eventually(async () => expect(addressOf(await cart())).toBe(address))
    await whileRecording(cluster, namespace, async (seen) => {
      const from = performance.now()
      await edge.delete()
      await edge.isGone()
      const again = await cluster.create('edge', { scope: 'Internal' }, { domain: taken })
      await again.reports('Admitted', { status: 'False' })
      await again.reports('Published', { status: 'False', reason: 'NoAddress' })
      expect(addressOf(await cart())).toBe(address)
      await eventually(() => expect(seen.get('cart')).toEqual(['']), 60_000)
      expect(performance.now() - from).toBeGreaterThan(graceMs)
    })
  },
)

story('Two controllers that want each other’s domains get them, and serve meanwhile', async (cluster) => {
  const domains = ['one.example', 'two.example']
  const [one, two] = await Promise.all([
    cluster.on('AWS').publish('one', { scope: 'External' }, { domain: domains[0] }),
    cluster.publish('two', { scope: 'Internal' }, { domain: domains[1] }),
  ])
  const before = await Promise.all([one.service(), two.service()])
  await one.changeSpec({ domain: domains[1] })
  const message = `which is already used by the IngressController "${two.name}": choose another`
  await one.reports('Admitted', { status: 'False', reason: 'DomainHeld', message })
  await two.changeSpec({ domain: domains[0] })
  for (const [router, domain] of [
    [one, domains[1]],
    [two, domains[0]],
  ] as const) {
    await router.reports('Admitted', { status: 'True' })
    await eventually(async () => expect((await router.read()).status?.domain).toBe(domain))
    const { containers = [] } = (await router.deployment()).spec?.template.spec ?? {}
    expect(containers[0]?.env).toContainEqual({ name: 'ROUTER_DOMAIN', value: domain })
  }
  expect((await Promise.all([one.service(), two.service()])).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  )
})

story(
  'A controller whose Service would have the name of another’s is refused, and creates nothing',
  async (cluster) => {
    const edge = await cluster.on('AWS').publish('edge', { scope: 'External' })
    const before = await cluster.client.get(Service, {
      ...edge.operandRef,
      name: `router-internal-${edge.name}`,
    })
    const twin = await cluster.create('internal-edge', { scope: 'External' })
    expect(twin.name).toBe(`internal-${edge.name}`)
    await twin.reports('Admitted', {
      status: 'False',
      reason: 'Invalid',
      message: `is already used by the IngressController "${edge.name}"`,
    })
    await expect(twin.deployment()).rejects.toThrow('NotFound')
    expect(await cluster.client.get(Service, twin.operandRef)).toEqual(before)
    await edge.reports('OperandsManaged', { status: 'True' })
  },
)
