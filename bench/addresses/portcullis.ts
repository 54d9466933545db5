// Ours: the address writer as the operator has it, from the change of an address to the last Ingress that says it.

import { createMetrics, Manager, silentLogger, systemClock } from '@portcullis/kube'
import { AddressBook } from '@portcullis/operator/internal/addresses/address-book.ts'
import { registerAddressWriter } from '@portcullis/operator/internal/addresses/address-writer.ts'
import { AddressMetrics, type AddressResult } from '@portcullis/operator/internal/addresses/metrics.ts'
import { defaultAddressSettings } from '@portcullis/operator/internal/addresses/settings.ts'
import { Registry } from 'prom-client'
import { connect } from '../ingresses.ts'
import { taskFromArguments } from '../measured-process.ts'
import { measurePhases } from './phases.ts'

/** Reports each result as it comes. */
class Watched extends AddressMetrics {
  onResult: (result: AddressResult) => void = () => {}

  override count(result: AddressResult): void {
    super.count(result)
    this.onResult(result)
  }
}

const task = taskFromArguments()
const { kubeconfig, count } = task
const client = await connect(kubeconfig)
const parts = {
  clock: systemClock,
  random: Math.random,
  log: silentLogger,
  metrics: createMetrics('portcullis'),
}
const manager = new Manager({ ...parts, client, name: 'portcullis', instance: 'bench' })
const book = new AddressBook(systemClock)
const metrics = new Watched({ registry: new Registry() })
const settings = { ...defaultAddressSettings, classNames: ['portcullis'] }
registerAddressWriter({ manager, book, settings, clock: systemClock, metrics })
const stop = new AbortController()

/** Until so many Ingresses have been reconciled, or all have the address. */
function looksAt(number: number, wrote: () => void = () => {}): Promise<void> {
  let [looks, writes] = [0, 0]
  return new Promise((resolve) => {
    metrics.onResult = (result) => {
      looks += 1
      if (result === 'written') {
        writes += 1
        wrote()
      }
      if (writes === count || (writes === 0 && looks >= number)) resolve()
    }
  })
}

const seen = looksAt(count)
const running = manager.run(stop.signal)
await seen // Nobody knows an address yet.
await measurePhases(async (ip, wrote) => {
  const allWritten = looksAt(count, wrote)
  book.set('default', { addresses: [{ ip }] })
  await allWritten
}, task)
stop.abort(new Error('measured'))
await running
await client.close()
