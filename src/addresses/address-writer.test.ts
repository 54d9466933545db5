import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { Ingress } from '../kube/kinds.ts'
import { silentLogger } from '../kube/log.ts'
import { createMetrics } from '../kube/metrics.ts'
import type { Kind, KubeObject, Live } from '../kube/objects.ts'
import type { ReconcileContext, Reconciler, Runtime } from '../kube/runtime.ts'
import { Store } from '../kube/store.ts'
import { AddressBook } from './address-book.ts'
import { registerAddressWriter } from './address-writer.ts'
import { AddressMetrics } from './metrics.ts'
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

/** A writer with one Ingress, whose every PATCH is taken at once. */
function aWriter() {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const registry = new Registry()
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
    client: { patchUnread: async () => {} },
    events: { record: () => {} },
  } as unknown as ReconcileContext & { log: typeof silentLogger }
  const [{ sources, reconcile } = { sources: [], reconcile: async () => {} }] = reconcilers
  const term = () => {
    for (const source of sources) source.subscribe({ wake: () => {}, unmapped: () => {} })
  }
  term()
  const look = () => reconcile('ns/web', { ...context, log: silentLogger })
  const lags = () => registry.getSingleMetricAsString('portcullis_ingress_address_lag_seconds')
  return { clock, book, term, look, lags }
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

it('a new term knows nothing of the one before', async () => {
  const { book, term, look, lags } = aWriter()
  book.set('default', { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined })
  await look()
  term()
  expect(await lags()).not.toContain('controller="default"')
})
