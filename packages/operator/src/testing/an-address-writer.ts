import { type EventRecord, type Persisted, type ReconcileContext, silentLogger } from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { Registry } from 'prom-client'
import { AddressBook } from '../addresses/address-book.ts'
import { addressReconciler } from '../addresses/address-writer.ts'
import { addressManager } from '../addresses/decide-ingress.ts'
import { AddressMetrics } from '../addresses/metrics.ts'
import { type AddressSettings, defaultAddressSettings } from '../addresses/settings.ts'
import { watchedKinds } from '../addresses/watched-kinds.ts'

export const ingress: Persisted<IngressObject> = {
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
export function aWriter({
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
    const updated: Persisted<IngressObject> = {
      ...ingress,
      metadata,
      status: { loadBalancer: { ingress: [{ ip }] } },
    }
    caches.ingresses.apply(updated)
  }
  /** It is created only now. */
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
