import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { AddressBook } from '../../src/addresses/address-book.ts'
import { registerAddressWriter } from '../../src/addresses/address-writer.ts'
import { AddressMetrics } from '../../src/addresses/metrics.ts'
import { defaultAddressSettings } from '../../src/addresses/settings.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { silentLogger } from '../../src/kube/log.ts'
import { createMetrics } from '../../src/kube/metrics.ts'
import { Runtime } from '../../src/kube/runtime.ts'
import { respond } from '../clusters/faults/faults.ts'
import { writes } from '../clusters/faults/requests.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, eventually, freshNamespace, throughProxy } from '../kube/cluster.ts'
import { createIngresses, recordVersions } from './recorded-versions.ts'

const count = 1000
const at = (ip: string) => ({ addresses: [{ ip }], lostSince: undefined })

/** An address writer behind a proxy that makes trouble, and many Ingresses to tell. */
async function aWriter() {
  const plane = sharedControlPlane()
  const admin = connect(await adminAccess(plane))
  const namespace = await freshNamespace(admin)
  const { proxy, access } = await throughProxy(plane)
  const parts = { clock: systemClock, random: Math.random, log: silentLogger, metrics: createMetrics() }
  const client = connect(access)
  const runtime = new Runtime({ ...parts, client, name: 'portcullis', instance: 'writer' })
  const book = new AddressBook(systemClock)
  registerAddressWriter({
    runtime,
    book,
    clock: systemClock,
    settings: { ...defaultAddressSettings, classNames: [namespace] },
    metrics: new AddressMetrics({ registry: new Registry() }),
  })
  const stop = new AbortController()
  const running = runtime.run(stop.signal)
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'))
    await running
  })
  const versions = await recordVersions(admin, namespace)
  await createIngresses(admin, { namespace, className: namespace, count })
  return { proxy, book, versions }
}

test('conflicts, overload and failures of the server cost no Ingress its address, and no write too many', async () => {
  const { proxy, book, versions } = await aWriter()
  let writesSeen = 0
  const everyNth = (n: number) => (request: Parameters<ReturnType<typeof writes>>[0]) =>
    writes('ingresses')(request) && ++writesSeen % n === 0
  for (const [n, fault] of [
    [100, respond(409)],
    [150, respond(429, { retryAfter: 0 })],
    [130, respond(500)],
    [170, respond(503)],
  ] as const) {
    proxy.inject({ when: everyNth(n), fault, times: Number.POSITIVE_INFINITY })
  }
  const history = ['']
  for (const ip of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
    history.push(ip)
    book.set('default', at(ip))
    await eventually(() => {
      expect(versions.size).toBe(count)
      for (const addresses of versions.values()) expect(addresses.at(-1)).toBe(ip)
    }, 60_000)
  }
  for (const addresses of versions.values()) expect(addresses).toEqual(history)
})

test('an address that flaps faster than it can be told is told once, where it comes to rest', async () => {
  const { book, versions } = await aWriter()
  const allSay = (ip: string) =>
    eventually(
      () => expect([...versions.values()].filter((each) => each.at(-1) === ip)).toHaveLength(count),
      60_000,
    )
  book.set('default', at('10.0.0.1'))
  await allSay('10.0.0.1')
  for (const ip of ['10.0.0.2', '10.0.0.3', '10.0.0.1', '10.0.0.4', '10.0.0.1']) book.set('default', at(ip))
  book.set('default', at('10.0.0.5'))
  await allSay('10.0.0.5')
  for (const addresses of versions.values()) expect(addresses).toEqual(['', '10.0.0.1', '10.0.0.5'])
})
