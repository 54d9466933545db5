import { Ingress, IngressClass } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { addressOf, aNamespace, anIngress, classOf, whileRecording } from './ingresses.ts'
import { stories } from './story.ts'

const { story, alone } = stories()

story(
  'An Ingress of the class shows the address of its controller, and others are left alone',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    const namespace = await aNamespace(cluster)
    await cluster.client.create(IngressClass, {
      metadata: { name: `foreign-${namespace}` },
      spec: { controller: 'example.com/other' },
    })
    await cluster.client.create(Ingress, anIngress(namespace, 'ours', classOf(router)))
    await cluster.client.create(Ingress, anIngress(namespace, 'theirs', `foreign-${namespace}`))
    const read = (name: string) => cluster.client.get(Ingress, { namespace, name })
    await eventually(async () => expect(addressOf(await read('ours'))).toBe(await router.address()))
    expect(addressOf(await read('theirs'))).toBe('')
  },
)

// Alone, because it counts.
alone('A scope change moves every address in one write each, and none is ever blank', async (cluster) => {
  const count = 200
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  await whileRecording(cluster, namespace, async (seen) => {
    const names = Array.from({ length: count }, (_, number) => `app-${number}`)
    const ingresses = names.map((name) => anIngress(namespace, name, classOf(router)))
    await Promise.all(ingresses.map((ingress) => cluster.client.create(Ingress, ingress)))
    const external = await router.address()
    const allSay = (address: string | undefined) =>
      eventually(() =>
        expect([...seen.values()].filter((each) => each.at(-1) === address)).toHaveLength(count),
      )
    await allSay(external)
    expect(cluster.journal.count('patch Ingress/status')).toBe(count)

    await router.change({ scope: 'Internal' })
    await eventually(async () => expect(await router.address()).toMatch(/^10\./))
    const internal = await router.address()
    await allSay(internal)
    for (const addresses of seen.values()) expect(addresses).toEqual(['', external, internal])
    expect(cluster.journal.count('patch Ingress/status')).toBe(2 * count)
  })

  await cluster.stopOperator()
  cluster.journal.turnPage()
  await cluster.startOperator()
  await router.everythingIsSeen()
  expect(cluster.journal.count('patch Ingress/status')).toBe(0)
})

story('An Ingress keeps the old address until a recreated Service has a new one', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  await whileRecording(cluster, namespace, async (seen) => {
    await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
    const before = await router.address()
    await eventually(() => expect(seen.get('web')?.at(-1)).toBe(before))
    await router.deleteService()
    await eventually(() => expect(seen.get('web')).toHaveLength(3))
    expect(seen.get('web')).toEqual(['', before, await router.address()])
  })
})

story(
  'An Ingress that leaves the class loses the address that the operator wrote, and no other',
  async (cluster) => {
    const router = await cluster.on('GCP').publish('edge', { scope: 'External' })
    const namespace = await aNamespace(cluster)
    const other = `other-${namespace}`
    await cluster.client.create(IngressClass, {
      metadata: { name: other },
      spec: { controller: 'example.com/other' },
    })
    await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
    const ref = { namespace, name: 'web' }
    const address = async () => addressOf(await cluster.client.get(Ingress, ref))
    const ours = await router.address()
    await eventually(async () => expect(await address()).toBe(ours))
    await cluster.client.patch(Ingress, ref, { type: 'merge', body: { spec: { ingressClassName: other } } })
    await eventually(async () => expect(await address()).toBe(''))

    const theirs = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } }
    await cluster.client.patch(
      Ingress,
      ref,
      { type: 'merge', body: theirs },
      { subresource: 'status', fieldManager: 'other' },
    )
    await cluster.client.patch(Ingress, ref, {
      type: 'merge',
      body: { metadata: { labels: { touched: 'yes' } } },
    })
    await router.everythingIsSeen()
    expect(await address()).toBe('192.0.2.7')
  },
)

story(
  'A manager that keeps overwriting the address is named, and the operator backs off after five rounds',
  async (cluster) => {
    const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
    const namespace = await aNamespace(cluster)
    await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
    const ref = { namespace, name: 'web' }
    const theirs = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } }
    const overwrite = () =>
      cluster.client.patch(
        Ingress,
        ref,
        { type: 'merge', body: theirs },
        { subresource: 'status', fieldManager: 'rival' },
      )
    const ours = await router.address()
    const address = async () => addressOf(await cluster.client.get(Ingress, ref))
    for (let round = 0; round < 5; round++) {
      await eventually(async () => expect(await address()).toBe(ours), 30_000)
      await overwrite()
    }
    await router.reports('AddressesUncontested', { status: 'False', reason: 'Contested', message: '"rival"' })
    expect(await address()).toBe('192.0.2.7')
  },
)
