import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { ApiError, ConnectionError, WriteRefusedError } from '../kube/errors.ts'
import { Ingress } from '../kube/kinds.ts'
import { silentLogger } from '../kube/log.ts'
import { createMetrics } from '../kube/metrics.ts'
import type { Kind, KubeObject, Live } from '../kube/objects.ts'
import type { ReconcileContext, Reconciler, Runtime } from '../kube/runtime.ts'
import { Store } from '../kube/store.ts'
import { AddressBook } from './address-book.ts'
import { registerAddressWriter } from './address-writer.ts'
import { AddressMetrics, failureOf } from './metrics.ts'
import { defaultAddressSettings } from './settings.ts'

const ingress: Live<IngressObject> = {
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
function aWriter({ failsWith }: { failsWith?: Error } = {}) {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const registry = new Registry()
  const writes: unknown[] = []
  const notes: string[] = []
  const woken: string[] = []
  const reconcilers: Reconciler[] = []
  const stores = new Map<string, Store<KubeObject, string>>()
  const runtime = {
    watch(kind: Kind, { indexes }: { indexes?: Record<string, () => string[]> } = {}) {
      const parts = { name: kind.kind, log: silentLogger, metrics: createMetrics() }
      const store = new Store<KubeObject, string>({ ...parts, ...(indexes && { indexes }) })
      stores.set(kind.kind, store)
      return store
    },
    reconcile: (reconciler: Reconciler) => void reconcilers.push(reconciler),
  } as unknown as Pick<Runtime, 'watch' | 'reconcile'>
  const settings = { ...defaultAddressSettings, classNames: ['ours'] }
  registerAddressWriter({ runtime, book, clock, settings, metrics: new AddressMetrics({ registry }) })
  stores.get(Ingress.kind)?.replace([ingress])
  const context = {
    client: {
      patchUnread: async (...sent: unknown[]) => {
        if (failsWith !== undefined) throw failsWith
        writes.push(sent)
      },
    },
    events: { record: (_: unknown, { note }: { note: string }) => void notes.push(note) },
  } as unknown as ReconcileContext & { log: typeof silentLogger }
  const [{ sources, reconcile } = { sources: [], reconcile: async () => {} }] = reconcilers
  const term = () => {
    for (const source of sources) source.subscribe({ wake: (key) => woken.push(key), unmapped: () => {} })
  }
  term()
  const look = () => reconcile('ns/web', { ...context, log: silentLogger })
  const lags = () => registry.getSingleMetricAsString('portcullis_ingress_address_lag_seconds')
  const failures = () => registry.getSingleMetricAsString('portcullis_ingress_address_failures_total')
  const show = (ip: string, resourceVersion: string) => {
    const metadata = { ...ingress.metadata, resourceVersion }
    const told: Live<IngressObject> = {
      ...ingress,
      metadata,
      status: { loadBalancer: { ingress: [{ ip }] } },
    }
    stores.get(Ingress.kind)?.apply(told)
  }
  return { clock, book, term, look, lags, failures, show, writes, woken, notes, stores }
}

it('how long it took to tell a controller’s addresses is forgotten with the controller', async () => {
  const { clock, book, look, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  await look()
  expect(await lags()).toContain('controller="default"')
  book.setLost('default', { isGone: true })
  await clock.advance(100)
  expect(await lags()).not.toContain('controller="default"')
})

it('also with one that the book has forgotten', async () => {
  const { clock, book, look, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  await look()
  book.forget('default')
  await clock.advance(100)
  expect(await lags()).not.toContain('controller="default"')
})

it('what the API server says brings no command into an Event', async () => {
  const failsWith = new ApiError('x', 422, { reason: 'Invalid', message: 'run `x`\u001b[2J' })
  const { book, look, notes } = aWriter({ failsWith })
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  await look()
  expect(notes).toEqual([
    String.raw`The API server does not take the address: Cannot x: 422 Invalid: run 'x'\u001b[2J`,
  ])
})

it('neither does who writes another address, and where', async () => {
  const { book, look, notes, stores } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
  for (let round = 2; round < 9; round++) {
    stores.get(Ingress.kind)?.apply({
      ...ingress,
      metadata: {
        ...ingress.metadata,
        resourceVersion: String(round),
        managedFields: [{ manager: '`x`', operation: 'Update', subresource: 'status', fieldsV1 }],
      },
      status: { loadBalancer: { ingress: [{ hostname: '`y`\u001b[2J' }] } },
    } as Live<IngressObject>)
    await look()
  }
  expect(notes[0]).toMatch(/^"'x'" keeps writing another address \('y'\\u001b\[2J\)/)
  expect(notes.join()).not.toContain('`')
})

it('a new term knows nothing of the one before', async () => {
  const { book, term, look, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  await look()
  term()
  expect(await lags()).not.toContain('controller="default"')
})

const at = (ip: string) => ({ addresses: [{ ip }], lostSince: undefined })

it('an Ingress that says what it should is not looked at; one that somebody has changed is', async () => {
  const { book, show, woken } = aWriter()
  book.set('default', at('10.0.0.1'))
  woken.length = 0
  show('10.0.0.1', '2')
  expect(woken).toEqual([])
  show('10.0.0.9', '3')
  expect(new Set(woken)).toEqual(new Set(['ns/web']))
})

it('what the store does not show yet is not written twice', async () => {
  const { clock, book, look, show, writes, woken } = aWriter()
  book.set('default', at('10.0.0.1'))
  await look()
  book.set('default', at('10.0.0.2'))
  await clock.advance(100)
  await expect(look()).resolves.toEqual({ lookAgainInMs: 1_000 })
  expect(writes).toHaveLength(1)
  woken.length = 0
  show('10.0.0.1', '2')
  expect(woken).not.toEqual([])
  await look()
  expect(writes).toHaveLength(2)
})

it('a write of which the store never tells is made again', async () => {
  const { book, look, writes } = aWriter()
  book.set('default', at('10.0.0.1'))
  for (let times = 0; times < 3; times++) await look()
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
])('an address that cannot be written is counted by reason: %s', async (reason, code) => {
  const { book, look, failures } = aWriter({ failsWith: new ApiError('patch', code, {}) })
  book.set('default', at('10.0.0.1'))
  await look().catch(() => {})
  expect(await failures()).toContain(`{reason="${reason}"} 1`)
})

it('no answer, and no permission any more, are reasons as well', () => {
  expect(failureOf(new ConnectionError('patch', 'no route'))).toBe('unreachable')
  expect(failureOf(new WriteRefusedError('not leading'))).toBe('stopped')
  expect(failureOf(new Error('told to stop'), AbortSignal.abort())).toBe('stopped')
})
