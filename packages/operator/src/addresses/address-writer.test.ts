import {
  ApiError,
  ConnectionError,
  type EventRecord,
  type Persisted,
  type ReconcileContext,
  silentLogger,
  WriteRefusedError,
} from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { AddressBook } from './address-book.ts'
import { AddressWriter, addressReconciler } from './address-writer.ts'
import { addressManager } from './decide-ingress.ts'
import { AddressMetrics, failureOf } from './metrics.ts'
import { type AddressSettings, defaultAddressSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

const ingress: Persisted<IngressObject> = {
  metadata: {
    namespace: 'ns',
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2029-01-01T00:00:00Z',
  },
  spec: { ingressClassName: 'ours' },
}

/** A writer with one Ingress, whose every PATCH is taken at once unless it fails. */
function aWriter({
  failsWith,
  settings: given,
}: {
  failsWith?: Error
  settings?: Partial<AddressSettings>
} = {}) {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const registry = new Registry()
  const writes: unknown[] = []
  const recorded: EventRecord[] = []
  const notes: string[] = []
  const enqueued: string[] = []
  const settings = { ...defaultAddressSettings, classNames: ['ours'], ...given }
  const caches = emptyCaches(watchedKinds)
  const metrics = new AddressMetrics({ registry })
  const { sources, reconcile } = addressReconciler({ caches, book, clock, settings, metrics })
  caches.ingresses.replace([ingress])
  const context = {
    client: {
      patchMetadataOnly: async (...sent: unknown[]) => {
        if (failsWith !== undefined) throw failsWith
        writes.push(sent)
      },
    },
    events: {
      record: (_: unknown, event: EventRecord) => {
        recorded.push(event)
        notes.push(event.note)
      },
    },
  } as unknown as ReconcileContext & { log: typeof silentLogger }
  const term = () => {
    for (const source of sources)
      source.subscribe({ enqueue: (key) => enqueued.push(key), onMapError: () => {} })
  }
  term()
  const reconcileIngress = () => reconcile('ns/web', { ...context, log: silentLogger })
  const lags = () => registry.getSingleMetricAsString('portcullis_ingress_address_lag_seconds')
  const failures = () => registry.getSingleMetricAsString('portcullis_ingress_address_failures_total')
  const show = (ip: string, resourceVersion: string, by?: 'ours') => {
    const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
    const manager = addressManager(settings.controllerNamespace)
    const managedFields = [{ manager, operation: 'Update', subresource: 'status', fieldsV1 }]
    const metadata = { ...ingress.metadata, resourceVersion, ...(by && { managedFields }) }
    const told: Persisted<IngressObject> = {
      ...ingress,
      metadata,
      status: { loadBalancer: { ingress: [{ ip }] } },
    }
    caches.ingresses.apply(told)
  }
  /** Somebody creates it only now. */
  const comes = async () => {
    caches.ingresses.replace([])
    await reconcileIngress()
    caches.ingresses.apply(ingress)
  }
  return {
    clock,
    book,
    term,
    reconcileIngress,
    comes,
    lags,
    failures,
    show,
    writes,
    enqueued,
    notes,
    recorded,
    caches,
  }
}

it('An operator that may not watch Namespaces serves all controllers without a namespaceSelector', async () => {
  const { book, reconcileIngress, writes, show } = aWriter()
  expect(watchedKinds.namespaces.isOptional).toBe(true)
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  expect(writes).toHaveLength(1)
  show('10.0.0.1', '2', 'ours')
  book.set('default', {
    addresses: [{ ip: '10.0.0.1' }],
    shard: { routeSelector: { matchLabels: { a: 'b' } } },
  })
  await reconcileIngress()
  expect(writes).toHaveLength(1)
})

it('The lag of a controller’s addresses is forgotten with the controller', async () => {
  const { clock, book, reconcileIngress, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  expect(await lags()).toContain('controller="default"')
  book.set('default', { addresses: [], isGone: true })
  await clock.advance(100)
  expect(await lags()).not.toContain('controller="default"')
})

it('The lag of a controller’s addresses is forgotten when the address book forgets the controller', async () => {
  const { clock, book, reconcileIngress, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  book.forget('default')
  await clock.advance(100)
  expect(await lags()).not.toContain('controller="default"')
})

it('The answer of the API server brings no command into an event', async () => {
  const failsWith = new ApiError('x', 422, { reason: 'Invalid', message: 'run `x`\u001b[2J' })
  const { book, reconcileIngress, notes } = aWriter({ failsWith })
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  expect(notes).toEqual([
    String.raw`The API server rejects the address: Cannot x: 422 Invalid: run 'x'\u001b[2J`,
  ])
})

it('A write that the API server rejects is not sent again before there is something else to send', async () => {
  const { book, clock, reconcileIngress, notes } = aWriter({ failsWith: new ApiError('x', 422, {}) })
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  await reconcileIngress()
  expect(notes).toHaveLength(1)
  book.set('default', { addresses: [{ ip: '10.0.0.2' }] })
  await clock.advance(100)
  await reconcileIngress()
  expect(notes).toHaveLength(2)
})

it('The name and the address of a conflicting client bring no command into an event', async () => {
  const { book, reconcileIngress, notes, caches } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
  for (let round = 2; round < 9; round++) {
    caches.ingresses.apply({
      ...ingress,
      metadata: {
        ...ingress.metadata,
        resourceVersion: String(round),
        managedFields: [{ manager: '`x`', operation: 'Update', subresource: 'status', fieldsV1 }],
      },
      status: { loadBalancer: { ingress: [{ hostname: '`y`\u001b[2J' }] } },
    })
    await reconcileIngress()
  }
  expect(notes[0]).toMatch(/^"'x'" keeps overwriting the address with 'y'\\u001b\[2J\./)
  expect(notes.join()).not.toContain('`')
})

it('A new term of leadership knows nothing of the one before', async () => {
  const { book, term, reconcileIngress, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }] })
  await reconcileIngress()
  term()
  expect(await lags()).not.toContain('controller="default"')
})

it('The grace period of an Ingress whose class is missing begins anew with a term of leadership, because the class may have existed in between', async () => {
  const { clock, term, reconcileIngress, writes, caches } = aWriter()
  const { controllerNamespace, lostAddressGraceMs } = defaultAddressSettings
  const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
  const manager = addressManager(controllerNamespace)
  caches.ingresses.apply({
    metadata: {
      ...ingress.metadata,
      resourceVersion: '2',
      managedFields: [{ manager, operation: 'Update', subresource: 'status', fieldsV1 }],
    },
    spec: { ingressClassName: 'gone' },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
  })
  await expect(reconcileIngress()).resolves.toEqual({ requeueAfterMs: lostAddressGraceMs + 1 })
  await clock.advance(2 * lostAddressGraceMs) // Another leads meanwhile.
  term()
  await expect(reconcileIngress()).resolves.toEqual({ requeueAfterMs: lostAddressGraceMs + 1 })
  expect(writes).toEqual([])
  await clock.advance(lostAddressGraceMs + 1)
  await reconcileIngress()
  expect(writes).toHaveLength(1)
})

const at = (ip: string) => ({ addresses: [{ ip }] })

it('An Ingress with the right address is not enqueued, and one that another client has changed is', async () => {
  const { book, show, enqueued } = aWriter()
  book.set('default', at('10.0.0.1'))
  enqueued.length = 0
  show('10.0.0.1', '2')
  expect(enqueued).toEqual([])
  show('10.0.0.9', '3')
  expect(new Set(enqueued)).toEqual(new Set(['ns/web']))
})

it('A write that the cache does not show yet is not repeated', async () => {
  const { clock, book, reconcileIngress, show, writes, enqueued } = aWriter()
  book.set('default', at('10.0.0.1'))
  await reconcileIngress()
  book.set('default', at('10.0.0.2'))
  await clock.advance(100)
  await expect(reconcileIngress()).resolves.toEqual({ requeueAfterMs: 1_000 })
  expect(writes).toHaveLength(1)
  enqueued.length = 0
  show('10.0.0.1', '2')
  expect(enqueued).not.toEqual([])
  await reconcileIngress()
  expect(writes).toHaveLength(2)
})

it('A write that the cache never shows is repeated', async () => {
  const { book, reconcileIngress, writes } = aWriter()
  book.set('default', at('10.0.0.1'))
  for (let times = 0; times < 3; times++) await reconcileIngress()
  expect(writes).toHaveLength(2)
})

it.each([
  ['conflict', 409],
  ['gone', 404],
  ['refused', 422],
  ['forbidden', 403],
  ['overloaded', 429],
  ['server', 500],
  ['other', 400],
])('A failed write of an address is counted by its reason: %s', async (reason, code) => {
  const { book, reconcileIngress, failures } = aWriter({ failsWith: new ApiError('patch', code, {}) })
  book.set('default', at('10.0.0.1'))
  await reconcileIngress().catch(() => {})
  expect(await failures()).toContain(`{reason="${reason}"} 1`)
})

it('A failed write without an answer, and one after the loss of leadership, have reasons of their own', () => {
  expect(failureOf(new ConnectionError('patch', 'no route'))).toBe('unreachable')
  expect(failureOf(new WriteRefusedError('not leading'))).toBe('stopped')
  expect(failureOf(new Error('told to stop'), AbortSignal.abort())).toBe('stopped')
})

describe('An Ingress that the selectors of its controller exclude', () => {
  const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
  const at = { addresses: [{ ip: '10.0.0.1' }] }
  const aNamespace = (labels: Record<string, string>, resourceVersion = '1') => ({
    metadata: { name: 'ns', uid: 'ns', resourceVersion, labels },
  })
  const minute = 60_000

  it('gets no address, and an event that names the selector', async () => {
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

  it('gets no event when it was excluded before this term, as thousands may be', async () => {
    const { book, reconcileIngress, notes, caches, term } = aWriter()
    caches.namespaces.apply(aNamespace({}))
    book.set('default', { ...at, shard: trusted })
    term()
    await reconcileIngress()
    expect(notes).toEqual([])
  })

  it('gets an address when its namespace is labelled, and loses it a minute after the label is removed', async () => {
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

  it('keeps its address when the label is back within that minute', async () => {
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

  it('stays as it is while the labels of its namespace are unknown, and is enqueued when they are known', async () => {
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
    ['after somebody has looked', (reconcileIngress: () => Promise<unknown>) => reconcileIngress()],
  ])('is enqueued when its namespace is recreated with other labels, %s', async (_, meanwhile) => {
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

  it('leaves room for events about other things', async () => {
    const { book, reconcileIngress, comes, recorded, caches } = aWriter()
    await comes()
    caches.namespaces.apply(aNamespace({}))
    book.set('default', { ...at, shard: trusted })
    await reconcileIngress()
    expect(recorded).toEqual([expect.objectContaining({ reason: 'IngressNotSelected', maxUnsent: 100 })])
  })

  it('is excluded by its own labels as well', async () => {
    const { book, reconcileIngress, comes, writes, notes } = aWriter()
    await comes()
    book.set('default', { ...at, shard: { routeSelector: { matchLabels: { edge: 'yes' } } } })
    await reconcileIngress()
    expect(writes).toEqual([])
    expect(notes[0]).toContain('routeSelector (edge=yes) that does not select the labels of this Ingress')
  })

  it('gets no address from the settings either', async () => {
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

  it('is enqueued by a change of the selectors alone', async () => {
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

  it('is not enqueued by other namespaces, nor by a new annotation of its own', () => {
    const { caches, enqueued } = aWriter()
    caches.namespaces.apply(aNamespace({}))
    enqueued.length = 0
    caches.namespaces.apply(aNamespace({}, '2'))
    const other = { metadata: { name: 'other', uid: 'o', resourceVersion: '1', labels: {} } }
    caches.namespaces.apply(other)
    caches.namespaces.apply({ metadata: { ...other.metadata, resourceVersion: '2', labels: { a: '1' } } })
    expect(enqueued).toEqual([])
  })
})

describe('The predicate of the address writer', () => {
  const added = { type: 'added', object: ingress } as const
  const aWriterAlone = () => {
    const clock = new VirtualClock()
    const [registry, book, caches] = [new Registry(), new AddressBook(clock), emptyCaches(watchedKinds)]
    const settings = { ...defaultAddressSettings, classNames: ['ours'] }
    const writer = new AddressWriter({
      caches,
      book,
      clock,
      settings,
      metrics: new AddressMetrics({ registry }),
    })
    return { clock, caches, registry, book, writer }
  }

  it('may be asked twice, and answers the same', () => {
    const { book, writer } = aWriterAlone()
    for (let times = 0; times < 2; times++) expect(writer.needsReconcile(added)).toBe(false)
    book.set('default', at('10.0.0.1'))
    for (let times = 0; times < 2; times++) expect(writer.needsReconcile(added)).toBe(true)
    for (let times = 0; times < 2; times++)
      expect(writer.needsReconcile({ type: 'deleted', object: ingress })).toBe(true)
  })

  it('counts nothing and ends no conflict, as the handler of the same change does', async () => {
    const { registry, book, writer } = aWriterAlone()
    book.setConflict('default', 'ns/web', 'rival')
    const before = await registry.metrics()
    writer.needsReconcile(added)
    expect(await registry.metrics()).toBe(before)
    expect([...book.conflictsOf('default')]).toEqual([['ns/web', 'rival']])
    writer.remember(added)
    expect(await registry.metrics()).not.toBe(before)
    expect([...book.conflictsOf('default')]).toEqual([])
  })

  it('leaves 10,000 of our own writes out of the queue', () => {
    const { book, writer } = aWriterAlone()
    book.set('default', at('10.0.0.1'))
    const written = { ...ingress, status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } }
    const keys = Array.from({ length: 10_000 }, (_, index) => {
      const object = {
        ...written,
        metadata: { ...written.metadata, name: `web-${index}`, resourceVersion: '2' },
      }
      const change = { type: 'updated', object, previous: ingress } as const
      writer.remember(change)
      return writer.needsReconcile(change)
    })
    expect(keys).not.toContain(true)
  })

  it('does not begin the grace period of an Ingress: the handler or a reconcile does', async () => {
    const { clock, caches, writer } = aWriterAlone()
    const manager = addressManager(defaultAddressSettings.controllerNamespace)
    const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
    const managedFields = [{ manager, operation: 'Update', subresource: 'status', fieldsV1 }]
    const orphan = {
      ...ingress,
      metadata: { ...ingress.metadata, managedFields },
      spec: { ingressClassName: 'gone' },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
    }
    caches.ingresses.replace([orphan])
    expect(writer.needsReconcile({ type: 'added', object: orphan })).toBe(true)
    const { lostAddressGraceMs } = defaultAddressSettings
    await clock.advance(lostAddressGraceMs / 2)
    const wholeGrace = { requeueAfterMs: lostAddressGraceMs + 1 }
    await expect(writer.reconcile('ns/web', {} as ReconcileContext)).resolves.toEqual(wholeGrace)
  })
})
