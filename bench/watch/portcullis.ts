// Ours: the Watch and the Store that the operator uses, with a projection and an index.

import {
  ApiError,
  Cache,
  type Cached,
  createMetrics,
  Ingress,
  type KubeApi,
  silentLogger,
  systemClock,
  Watch,
} from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { connect } from '../ingresses.ts'
import { measure, taskFromArguments } from '../measured-process.ts'
import { projected } from './projection.ts'

const { kubeconfig, fromVersion = '', events: expected = 0, count } = taskFromArguments()
const client = await connect(kubeconfig, 16)
const metrics = createMetrics('portcullis')

/** The list says that it is older than it is, so that the events since then are replayed, as fast as they can be. */
const replaying: Pick<KubeApi, 'pages' | 'watchOnce'> = {
  async watchOnce(kind, options) {
    // A streamed list goes on from now, and not from where the replay begins.
    if (options.resourceVersion === undefined) throw new ApiError('stream a list', 422, {})
    return client.watchOnce(kind, options)
  },
  async *pages(kind, options) {
    for await (const page of client.pages(kind, options)) yield { ...page, resourceVersion: fromVersion }
  },
}

await measure(async () => {
  const indexes = {
    class: ({ spec }: Cached<IngressObject>) => (spec?.ingressClassName ? [spec.ingressClassName] : []),
  }
  const store = new Cache<IngressObject, 'class'>({ name: 'Ingress', indexes, log: silentLogger, metrics })
  const stop = new AbortController()
  let seen = 0
  const options = {
    kind: Ingress,
    project: projected,
    sink: store,
    clock: systemClock,
    random: Math.random,
    metrics,
  }
  const watch = new Watch<IngressObject>({ ...options, client: replaying, log: silentLogger })
  const running = watch.run(stop.signal)
  await store.synced()
  if (store.size !== count) throw new Error(`${store.size} objects were listed instead of ${count}`)
  await new Promise<void>((resolve) => {
    store.subscribe(() => {
      seen += 1
      if (seen === expected) resolve()
    })
  })
  stop.abort(new Error('all events have been seen'))
  await running
})
await client.close()
