import { setTimeout as pause } from 'node:timers/promises'
import { CoreEvent, Ingress, Node } from '@portcullis/kube'
import { parseStaticAddresses } from '@portcullis/operator/internal/addresses/static-addresses.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { addressOf, aNamespace, anIngress, classOf, whileRecording } from './ingresses.ts'
import { byHand, commandsIn } from './router.ts'
import { stories } from './story.ts'
import { onNodes } from './story-nodes.ts'

const { story } = stories()

const writesTo = ({ journal }: Cluster, name: string) =>
  journal.entries.filter((entry) => entry.what === 'Ingress/status' && entry.name === name).length

const label = (value: string) => ({ type: 'merge', body: { metadata: { labels: { value } } } }) as const

story('All configured addresses are written to the Ingress, not only the first', async (cluster) => {
  const namespace = await aNamespace(cluster)
  const staticAddresses = parseStaticAddresses(['192.0.2.1,lb.example.com', '2001:db8::7'])
  cluster.on('None').withAddressSettings({ staticAddresses, classNames: [namespace] })
  await cluster.startOperator()
  await cluster.client.create(Ingress, anIngress(namespace, 'web', namespace))
  await eventually(async () => {
    const { status } = await cluster.client.get(Ingress, { namespace, name: 'web' })
    expect(status?.loadBalancer?.ingress).toEqual(staticAddresses)
  })
})

story('Edits of an Ingress or a Service by others cause no write', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  const ref = { namespace, name: 'edited' }
  await cluster.client.create(Ingress, anIngress(namespace, ref.name, classOf(router)))
  const address = await router.address()
  await eventually(async () => expect(addressOf(await cluster.client.get(Ingress, ref))).toBe(address))
  for (const value of ['one', 'two', 'three']) {
    await cluster.client.patch(Ingress, ref, label(value), byHand)
    await router.editService({ metadata: { annotations: { 'example.com/value': value } } })
  }
  await router.everythingIsSeen()
  await cluster.waitUntilQuiescent()
  expect(writesTo(cluster, ref.name)).toBe(1)
})

story('An Ingress that is deleted and recreated at once gets its address', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  const address = await router.address()
  for (let life = 0; life < 3; life++) {
    await cluster.client.create(Ingress, anIngress(namespace, 'reborn', classOf(router)))
    if (life < 2) await cluster.client.delete(Ingress, { namespace, name: 'reborn' })
  }
  await eventually(async () =>
    expect(addressOf(await cluster.client.get(Ingress, { namespace, name: 'reborn' }))).toBe(address),
  )
})

story(
  'A status that the API server refuses is reported in its words, and retried only when something changes',
  async (cluster) => {
    const namespace = await aNamespace(cluster)
    // Past the check that such addresses meet at the start.
    cluster
      .on('None')
      .withAddressSettings({ staticAddresses: [{ hostname: '*.example.com' }], classNames: [namespace] })
    await cluster.startOperator()
    const ref = { namespace, name: 'refused' }
    await cluster.client.create(Ingress, anIngress(namespace, ref.name, namespace))
    await eventually(async () => {
      const { items } = await cluster.client.list(CoreEvent, { namespace })
      expect(items).toContainEqual(
        expect.objectContaining({
          reason: 'AddressRefused',
          message: expect.stringContaining('Invalid value: "*.example.com"') as string,
        }),
      )
    })
    await pause(1000)
    expect(writesTo(cluster, ref.name)).toBe(1)
    await cluster.client.patch(Ingress, ref, label('changed'), byHand)
    await eventually(() => expect(writesTo(cluster, ref.name)).toBe(2))
  },
)

story(
  'An Ingress shows a working address, with its ports, throughout changes of the strategy type',
  onNodes(1, async (nodes, cluster) => {
    cluster.on('AWS')
    const router = await cluster.create(
      'edge',
      { scope: 'External' },
      { replicas: 1, nodePlacement: nodes.placement },
    )
    await router.isProvided()
    const balanced = (await router.address()) ?? ''
    const { status } = await cluster.client.get(Node, { name: nodes.names[0] ?? '' })
    const ofNode = (status?.addresses ?? []).map(({ address }) => address)
    const namespace = await aNamespace(cluster)
    await whileRecording(cluster, namespace, async (seen) => {
      await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
      const says = (addresses: readonly string[]) =>
        eventually(() => expect(addresses).toContain(seen.get('web')?.at(-1)))
      await says([balanced])

      const strategy = (type: string) => ({ endpointPublishingStrategy: { type, loadBalancer: null } })
      await router.changeSpec(strategy('NodePortService'))
      await says(ofNode)
      const ingress = await cluster.client.get(Ingress, { namespace, name: 'web' })
      expect(ingress.status?.loadBalancer?.ingress?.[0]?.ports).toHaveLength(2)

      // The load balancer still exists, because no user has consented to its deletion.
      await router.changeSpec(strategy('Private'))
      await says([balanced])
      const [remove = ''] = commandsIn(await router.reports('Progressing', { status: 'True' }))
      await cluster.run(remove)
      await router.reports('Published', { status: 'False' })
      await router.changeSpec(strategy('LoadBalancerService'))
      await router.isProvided()
      await says([(await router.address()) ?? ''])
      expect(seen.get('web')?.slice(1)).not.toContain('')
    })
  }),
)
