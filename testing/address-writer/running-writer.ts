import { type ClusterAccess, createMetrics, Manager, silentLogger, systemClock } from '@portcullis/kube'
import { AddressBook } from '@portcullis/operator/internal/addresses/address-book.ts'
import { registerAddressWriter } from '@portcullis/operator/internal/addresses/address-writer.ts'
import { AddressMetrics } from '@portcullis/operator/internal/addresses/metrics.ts'
import { defaultAddressSettings } from '@portcullis/operator/internal/addresses/settings.ts'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, freshNamespace } from '../clusters/test-client.ts'
import { createIngresses, recordVersions } from './recorded-versions.ts'

/** Where a controller is reached. */
export const at = (ip: string) => ({ addresses: [{ ip }] })

/** A running address writer, and many Ingresses for it. */
export async function aWriter(count: number, access: ClusterAccess) {
  const plane = sharedControlPlane()
  const admin = connect(await adminAccess(plane))
  const namespace = await freshNamespace(admin)
  const parts = {
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    metrics: createMetrics('portcullis'),
  }
  const client = connect(access)
  const manager = new Manager({ ...parts, client, name: 'portcullis', instance: 'writer' })
  const book = new AddressBook(systemClock)
  registerAddressWriter({
    manager,
    book,
    clock: systemClock,
    settings: { ...defaultAddressSettings, classNames: [namespace] },
    metrics: new AddressMetrics({ registry: new Registry() }),
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'))
    await running
  })
  const versions = await recordVersions(admin, namespace)
  await createIngresses(admin, { namespace, className: namespace, count })
  return { client, book, versions }
}
