// Ours: the address writer as the operator has it, from the change of an address to the last Ingress that says it.
import { Registry } from 'prom-client'
import { AddressBook } from '../../src/addresses/address-book.ts'
import { registerAddressWriter } from '../../src/addresses/address-writer.ts'
import { AddressMetrics, type AddressResult } from '../../src/addresses/metrics.ts'
import { defaultAddressSettings } from '../../src/addresses/settings.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { silentLogger } from '../../src/kube/log.ts'
import { createMetrics } from '../../src/kube/metrics.ts'
import { Runtime } from '../../src/kube/runtime.ts'
import { taskFromArguments } from '../contender.ts'
import { connect } from '../ingresses.ts'
import type { AddressesResult } from './addresses.ts'

/** Counts, and tells when something is so. */
class Counting extends AddressMetrics {
  writes = 0
  looks = 0
  #check = () => {}

  override count(result: AddressResult): void {
    super.count(result)
    this.looks += 1
    if (result === 'written') this.writes += 1
    this.#check()
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (isSo()) resolve()
      }
      this.#check()
    })
  }
}

const { kubeconfig, count, concurrency, round } = taskFromArguments()
const client = await connect(kubeconfig, concurrency)
const parts = { clock: systemClock, random: Math.random, log: silentLogger, metrics: createMetrics() }
const runtime = new Runtime({ ...parts, client, name: 'portcullis', instance: 'bench' })
const book = new AddressBook(systemClock)
const metrics = new Counting({ registry: new Registry() })
const settings = { ...defaultAddressSettings, classNames: ['portcullis'] }
registerAddressWriter({ runtime, book, settings, clock: systemClock, metrics })
const stop = new AbortController()
const running = runtime.run(stop.signal)
await metrics.until(() => metrics.looks >= count) // Each has been looked at, and nobody knows an address yet.

metrics.looks = 0
const cpuBefore = process.cpuUsage()
const start = performance.now()
book.set('default', { addresses: [{ ip: `10.200.0.${round}` }], lostSince: undefined })
// Either all are told, or all said it already.
await metrics.until(() => metrics.writes === count || (metrics.writes === 0 && metrics.looks >= count))
const seconds = (performance.now() - start) / 1000
const { user, system } = process.cpuUsage(cpuBefore)
const result: AddressesResult = {
  seconds,
  cpuSeconds: (user + system) / 1e6,
  residentMb: process.memoryUsage.rss() / 1e6,
  writes: metrics.writes,
}
console.log(JSON.stringify(result))
stop.abort(new Error('measured'))
await running
await client.close()
