// How much memory a store of projected Ingresses takes. Run with --expose-gc.

import { Cache, createMetrics, Ingress, silentLogger } from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { connect } from '../ingresses.ts'
import { taskFromArguments } from '../measured-process.ts'
import { projected } from './projection.ts'

const { kubeconfig } = taskFromArguments()
const client = await connect(kubeconfig, 4)

async function listInto(store: Cache<IngressObject>, project: typeof projected): Promise<void> {
  const objects = []
  for await (const page of client.pages(Ingress)) objects.push(...page.items.map(project))
  store.replace(objects)
}

/** Heap in use by what is still referred to, in MB. */
function heapMb(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const aStore = () =>
  new Cache<IngressObject>({ name: 'Ingress', log: silentLogger, metrics: createMetrics('portcullis') })

// Once for nothing, so that code and connections are not counted as objects.
await listInto(aStore(), projected)
const before = heapMb()
const lean = aStore()
await listInto(lean, projected)
const projectedMb = heapMb() - before
const residentMb = process.memoryUsage.rss() / 1e6
const whole = aStore()
await listInto(whole, (object) => object)
const wholeMb = heapMb() - before - projectedMb
console.log(JSON.stringify({ projectedMb, wholeMb, residentMb, objects: lean.size + whole.size }))
await client.close()
