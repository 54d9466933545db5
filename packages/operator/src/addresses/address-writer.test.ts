import { ApiError, ConnectionError, type ReconcileContext, WriteRefusedError } from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { aWriter, ingress } from '../testing/an-address-writer.ts'
import { AddressBook } from './address-book.ts'
import { AddressWriter } from './address-writer.ts'
import { addressManager } from './decide-ingress.ts'
import { AddressMetrics, failureOf } from './metrics.ts'
import { defaultAddressSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

const at = (ip: string) => ({ addresses: [{ ip }] })

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

it('The predicate may be asked twice, and answers the same', () => {
  const { book, writer } = aWriterAlone()
  for (let times = 0; times < 2; times++) expect(writer.needsReconcile(added)).toBe(false)
  book.set('default', at('10.0.0.1'))
  for (let times = 0; times < 2; times++) expect(writer.needsReconcile(added)).toBe(true)
  for (let times = 0; times < 2; times++)
    expect(writer.needsReconcile({ type: 'deleted', object: ingress })).toBe(true)
})

it('The predicate counts nothing and ends no conflict, as the handler of the same change does', async () => {
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

it('The predicate leaves 10,000 of our own writes out of the queue', () => {
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

it('The predicate does not begin the grace period of an Ingress: the handler or a reconcile does', async () => {
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
