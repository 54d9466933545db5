import { expect, it } from 'vitest'
import { aWriter } from '../testing/an-address-writer.ts'

const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
const at = { addresses: [{ ip: '10.0.0.1' }] }
const aNamespace = (labels: Record<string, string>, resourceVersion = '1') => ({
  metadata: { name: 'ns', uid: 'ns', resourceVersion, labels },
})
const minute = 60_000

it('An excluded Ingress gets no address, and an event that names the selector', async () => {
  const { book, reconcileIngress, comes, notes, writes, caches } = aWriter()
  await comes()
  caches.namespaces.apply(aNamespace({}))
  book.set('default', { ...at, shard: trusted })
  await reconcileIngress()
  expect(writes).toEqual([])
  expect(notes).toEqual([
    'IngressController "default" has a namespaceSelector (shard=trusted) that does not select the namespace "ns": its routers do not serve this Ingress, and it gets no address. Label the namespace, or choose another class',
  ])
  await reconcileIngress()
  expect(notes).toHaveLength(1)
})

it('An Ingress that was excluded before this term gets no event, as thousands may be', async () => {
  const { book, reconcileIngress, notes, caches, term } = aWriter()
  caches.namespaces.apply(aNamespace({}))
  book.set('default', { ...at, shard: trusted })
  term()
  await reconcileIngress()
  expect(notes).toEqual([])
})

it('An excluded Ingress gets an address when its namespace is labelled, and loses it a minute after the label is removed', async () => {
  const { book, reconcileIngress, clock, writes, caches, enqueued, show } = aWriter()
  const { namespaces } = caches
  namespaces.apply(aNamespace({}))
  book.set('default', { ...at, shard: trusted })
  enqueued.length = 0
  namespaces.apply(aNamespace({ shard: 'trusted' }, '2'))
  expect(enqueued).toContain('ns/web')
  await reconcileIngress()
  expect(writes).toHaveLength(1)
  show('10.0.0.1', '2', 'ours')
  enqueued.length = 0
  namespaces.apply(aNamespace({}, '3'))
  expect(enqueued).toContain('ns/web')
  expect(await reconcileIngress()).toEqual({ requeueAfterMs: minute + 1 })
  await clock.advance(minute + 1)
  await reconcileIngress()
  expect(JSON.stringify(writes.at(-1))).toContain('"ingress":null')
})

it('An Ingress keeps its address when the label is back within that minute', async () => {
  const { book, reconcileIngress, clock, writes, caches, show } = aWriter()
  const { namespaces } = caches
  namespaces.apply(aNamespace({ shard: 'trusted' }))
  book.set('default', { ...at, shard: trusted })
  show('10.0.0.1', '2', 'ours')
  namespaces.apply(aNamespace({}, '2'))
  await reconcileIngress()
  await clock.advance(minute / 2)
  namespaces.apply(aNamespace({ shard: 'trusted' }, '3'))
  await reconcileIngress()
  await clock.advance(minute)
  await reconcileIngress()
  expect(writes).toEqual([])
})

it('An Ingress stays as it is while the labels of its namespace are unknown, and is enqueued when they are known', async () => {
  const { book, reconcileIngress, writes, caches, enqueued, show } = aWriter()
  book.set('default', { ...at, shard: trusted })
  show('10.0.0.9', '2', 'ours')
  expect(await reconcileIngress()).toBeUndefined()
  expect(writes).toEqual([])
  enqueued.length = 0
  caches.namespaces.apply(aNamespace({ shard: 'trusted' }))
  expect(enqueued).toContain('ns/web')
  await reconcileIngress()
  expect(writes).toHaveLength(1)
})

it.each([
  ['before anybody has looked', async () => {}],
  ['after a reconcile', (reconcileIngress: () => Promise<unknown>) => reconcileIngress()],
])('An Ingress is enqueued when its namespace is recreated with other labels, %s', async (_, meanwhile) => {
  const { book, reconcileIngress, writes, caches, enqueued } = aWriter()
  const { namespaces } = caches
  namespaces.apply(aNamespace({}))
  book.set('default', { ...at, shard: trusted })
  await reconcileIngress()
  enqueued.length = 0
  namespaces.delete(aNamespace({}))
  if (enqueued.length > 0) await meanwhile(reconcileIngress)
  namespaces.apply({ metadata: { ...aNamespace({ shard: 'trusted' }, '3').metadata, uid: 'anew' } })
  expect(enqueued.splice(0)).toContain('ns/web')
  await reconcileIngress()
  expect(writes).toHaveLength(1)
})

it('An excluded Ingress leaves room for events about other things', async () => {
  const { book, reconcileIngress, comes, recorded, caches } = aWriter()
  await comes()
  caches.namespaces.apply(aNamespace({}))
  book.set('default', { ...at, shard: trusted })
  await reconcileIngress()
  expect(recorded).toEqual([expect.objectContaining({ reason: 'IngressNotSelected', maxUnsent: 100 })])
})

it('An Ingress is excluded by its own labels as well', async () => {
  const { book, reconcileIngress, comes, writes, notes } = aWriter()
  await comes()
  book.set('default', { ...at, shard: { routeSelector: { matchLabels: { edge: 'yes' } } } })
  await reconcileIngress()
  expect(writes).toEqual([])
  expect(notes[0]).toContain('routeSelector (edge=yes) that does not select the labels of this Ingress')
})

it('An excluded Ingress gets no address from the settings either', async () => {
  const { book, reconcileIngress, writes, caches } = aWriter({
    settings: { staticAddresses: [{ ip: '192.0.2.1' }] },
  })
  caches.namespaces.apply(aNamespace({}))
  await reconcileIngress()
  expect(writes, 'before anybody knows what the controller selects').toEqual([])
  book.set('default', { ...at, shard: trusted })
  await reconcileIngress()
  expect(writes).toEqual([])
  caches.namespaces.apply(aNamespace({ shard: 'trusted' }, '2'))
  await reconcileIngress()
  expect(writes).toHaveLength(1)
})

it('An Ingress is enqueued by a change of the selectors alone', async () => {
  const { book, clock, enqueued } = aWriter()
  book.set('default', at)
  await clock.advance(100)
  enqueued.length = 0
  book.set('default', { ...at, shard: trusted })
  await clock.advance(100)
  expect(enqueued).toContain('ns/web')
  enqueued.length = 0
  book.set('default', { ...at, shard: structuredClone(trusted) })
  await clock.advance(100)
  expect(enqueued).toEqual([])
})

it('An Ingress is not enqueued by other namespaces, nor by a new annotation of its own', () => {
  const { caches, enqueued } = aWriter()
  caches.namespaces.apply(aNamespace({}))
  enqueued.length = 0
  caches.namespaces.apply(aNamespace({}, '2'))
  const other = { metadata: { name: 'other', uid: 'o', resourceVersion: '1', labels: {} } }
  caches.namespaces.apply(other)
  caches.namespaces.apply({ metadata: { ...other.metadata, resourceVersion: '2', labels: { a: '1' } } })
  expect(enqueued).toEqual([])
})
