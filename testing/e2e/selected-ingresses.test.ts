import { CoreEvent, Ingress, Namespace } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { addressOf, aNamespace, anIngress, classOf, whileRecording } from './ingresses.ts'
import { stories } from './story.ts'

const { story } = stories()

story(
  'An Ingress in a namespace that its controller does not select gets no address, and an Event says why',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'Internal' }, trusted)
    const [inside, outside] = [await aNamespace(cluster), await aNamespace(cluster)]
    await label(inside, { shard: 'trusted' })
    for (const namespace of [outside, inside])
      await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
    const read = (namespace: string) => cluster.client.get(Ingress, { namespace, name: 'web' })
    await eventually(async () => expect(addressOf(await read(inside))).toBe(await router.address()))
    await eventually(async () => {
      const { items } = await cluster.client.list(CoreEvent, { namespace: outside })
      const refused = items.filter(({ reason }) => reason === 'IngressNotSelected')
      expect(refused.map(({ message }) => message)).toEqual([
        expect.stringContaining('has a namespaceSelector (shard=trusted) that does not select the namespace'),
      ])
    })
    expect(addressOf(await read(outside))).toBe('')

    await label(outside, { shard: 'trusted' })
    await eventually(async () => expect(addressOf(await read(outside))).toBe(await router.address()))

    async function label(name: string, labels: Record<string, string>): Promise<void> {
      await cluster.client.patch(Namespace, { name }, { type: 'merge', body: { metadata: { labels } } })
    }
  },
)

story(
  'An Ingress whose labels its controller no longer selects loses its address, and others keep theirs',
  async (cluster) => {
    const router = await cluster
      .on('AWS')
      .withAddressSettings({ lostAddressGraceMs: 500 })
      .publish('edge', { scope: 'External' })
    const namespace = await aNamespace(cluster)
    const named = (name: string, shard: string) => {
      const ingress = anIngress(namespace, name, classOf(router))
      return { ...ingress, metadata: { ...ingress.metadata, labels: { shard } } }
    }
    await whileRecording(cluster, namespace, async (seen) => {
      for (const ingress of [named('stays', 'a'), named('goes', 'b')])
        await cluster.client.create(Ingress, ingress)
      const address = await router.address()
      const latest = (name: string) => seen.get(name)?.at(-1)
      await eventually(() => expect([latest('stays'), latest('goes')]).toEqual([address, address]))
      const values = ['a', 'c']
      await router.changeSpec({
        routeSelector: { matchExpressions: [{ key: 'shard', operator: 'In', values }] },
      })
      await eventually(() => expect(latest('goes')).toBe(''))
      await router.changeSpec({ routeSelector: null })
      await eventually(() => expect(latest('goes')).toBe(address))
      expect(seen.get('stays')).toEqual(['', address])
    })
  },
)

const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
