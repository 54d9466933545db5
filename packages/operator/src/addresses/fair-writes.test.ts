import {
  Controller,
  createMetrics,
  type Key,
  type Kind,
  keyOf,
  type ObjectRef,
  type Persisted,
  type ReconcileContext,
  silentLogger,
} from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { AddressBook } from './address-book.ts'
import { addressReconciler } from './address-writer.ts'
import { AddressMetrics } from './metrics.ts'
import { defaultAddressSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

let version = 0

/** An Ingress as its tenant has just written it: without an address. */
function anIngress(namespace: string, name: string): Persisted<IngressObject> {
  return {
    metadata: { namespace, name, uid: `${namespace}/${name}`, resourceVersion: String(++version) },
    spec: { ingressClassName: 'ours' },
  }
}

it('An Ingress waits for no more than a round of writes while 10,000 of another tenant change without end', async () => {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const parts = { log: silentLogger, metrics: createMetrics('portcullis') }
  const settings = { ...defaultAddressSettings, classNames: ['ours'] }
  const metrics = new AddressMetrics({ registry: new Registry() })
  const caches = emptyCaches(watchedKinds)
  const writer = addressReconciler({ caches, book, clock, settings, metrics })
  const { ingresses } = caches
  ingresses.replace(Array.from({ length: 10_000 }, (_, at) => anIngress('flood', `app-${at}`)))

  const over = new AbortController()
  const writes: Key[] = []
  const patchMetadataOnly = async (_: Kind, ref: ObjectRef) => {
    writes.push(keyOf(ref))
    if (writes.length === 100) ingresses.apply(anIngress('tenant', 'web'))
    if (ref.namespace === 'tenant' || writes.length === 15_000) over.abort()
    // The flood goes on: what was written is changed at once.
    else ingresses.apply(anIngress('flood', ref.name))
  }
  const context = { client: { patchMetadataOnly }, events: { record: () => {} }, signal: over.signal }
  const running = new Controller<ReconcileContext>({
    ...writer,
    ...parts,
    kind: 'Ingress',
    clock,
    random: () => 0.5,
  }).run({ stop: over.signal, context: context as unknown as ReconcileContext })
  book.set('default', { addresses: [{ ip: '192.0.2.1' }] })
  await running

  expect(writes.indexOf('tenant/web')).toBeGreaterThan(0)
  // The writes that were on their way, and one turn of the other tenant.
  expect(writes.indexOf('tenant/web') - 100).toBeLessThanOrEqual(33)
})
