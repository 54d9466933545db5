import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { AddressBook } from '../addresses/address-book.ts'
import { tryAgain } from '../kube/controller.ts'
import { silentLogger } from '../kube/log.ts'
import { createMetrics } from '../kube/metrics.ts'
import type { Kind, KubeObject, Live } from '../kube/objects.ts'
import type { ReconcileContext, Reconciler, Runtime, WatchedKind } from '../kube/runtime.ts'
import { Store } from '../kube/store.ts'
import { IngressMetrics } from './metrics.ts'
import { ownerLabel } from './names.ts'
import { ingressClass } from './operands/ingress-class.ts'
import { registerIngressReconciler } from './reconciler.ts'
import { defaultSettings } from './settings.ts'

const key = 'openshift-ingress-operator/edge'

/** The reconciler of a cluster on which there is nothing but what is shown to it. */
function reconcilerAlone() {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const registry = new Registry()
  const stores = new Map<string, Store<KubeObject, string>>()
  const reconcilers: Reconciler[] = []
  const warnings: string[] = []
  const runtime = {
    watch({ kind }: Kind, { indexes }: WatchedKind<KubeObject, string> = {}) {
      const parts = { name: kind, log: silentLogger, metrics: createMetrics() }
      const store = new Store<KubeObject, string>({ ...parts, ...(indexes && { indexes }) })
      stores.set(kind, store)
      return store
    },
    reconcile: (reconciler: Reconciler) => void reconcilers.push(reconciler),
  } as unknown as Pick<Runtime, 'watch' | 'reconcile'>
  const metrics = new IngressMetrics({ registry, clock })
  registerIngressReconciler({ runtime, book, clock, metrics, settings: defaultSettings })
  const log = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
  const look = (client: Partial<ReconcileContext['client']> = {}) => {
    const events = { record: () => {} }
    const context = { log, client, events } as unknown as ReconcileContext & { log: typeof log }
    return reconcilers[0]?.reconcile(key, context)
  }
  const show = (kind: string, ...objects: object[]) => stores.get(kind)?.replace(objects as Live[])
  const leftBehind = () => registry.getSingleMetricAsString('portcullis_left_behind_objects')
  /** The keys that are woken by what is done; those that are woken at the start do not count. */
  const wokenBy = async (change: () => unknown) => {
    let woken: string[] = []
    const listener = { wake: (one: string) => void woken.push(one), unmapped: () => {} }
    const ends = reconcilers[0]?.sources.map((source) => source.subscribe(listener))
    woken = []
    await change()
    for (const end of ends ?? []) end()
    return [...new Set(woken)].toSorted()
  }
  return { book, clock, look, show, wokenBy, warnings, leftBehind }
}

const identity = { uid: 'u', resourceVersion: '1' }
const labels = { [ownerLabel]: 'edge' }
const service = { metadata: { ...identity, namespace: 'openshift-ingress', name: 'router-edge', labels } }
const metadata = { namespace: 'openshift-ingress-operator', name: 'edge' }
const itsClass = ingressClass({ controller: { metadata: { ...metadata, ...identity } } })
const classOfEdge = { ...itsClass, metadata: { ...itsClass.metadata, ...identity } }

test('a controller that is gone is remembered while a class names it, and no longer', async () => {
  const { book, clock, look, show } = reconcilerAlone()
  show('IngressClass', classOfEdge)
  await look()
  expect(book.get('edge')).toMatchObject({ addresses: [], isGone: true })
  show('IngressClass')
  await look()
  await clock.advance(100)
  expect(book.get('edge')).toBeUndefined()
})

test('what a controller leaves behind is counted, and named once with the command that removes it', async () => {
  const { look, show, warnings, leftBehind } = reconcilerAlone()
  show('Service', service)
  show('IngressClass', classOfEdge)
  await look()
  await look()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('Service openshift-ingress/router-edge, IngressClass portcullis-edge')
  expect(warnings[0]).toContain(
    '`kubectl -n openshift-ingress delete service/router-edge ingressclass/portcullis-edge`',
  )
  expect(await leftBehind()).toContain('{name="edge"} 2')
  show('Service')
  show('IngressClass')
  await look()
  expect(await leftBehind()).not.toContain('edge')
})

test('what is going, and what is not ours, is not left behind', async () => {
  const { look, show, warnings, leftBehind } = reconcilerAlone()
  show('Service', { metadata: { ...service.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } })
  show('Deployment', { metadata: { ...service.metadata, labels: {} } })
  show('IngressClass', { ...classOfEdge, spec: { parameters: { namespace: 'elsewhere', name: 'edge' } } })
  await look()
  expect(warnings).toEqual([])
  expect(await leftBehind()).not.toContain('edge')
})

test('a change of scope wakes the controller itself, a change of domain all of them', async () => {
  const { show, wokenBy } = reconcilerAlone()
  const other = { metadata: { ...metadata, ...identity, name: 'other' } }
  let resourceVersion = 0
  const showEdge = (domain: string, scope: string) => {
    const endpointPublishingStrategy = { type: 'LoadBalancerService', loadBalancer: { scope } }
    const version = { resourceVersion: String(++resourceVersion) }
    const edge = {
      metadata: { ...metadata, ...identity, ...version },
      spec: { domain, endpointPublishingStrategy },
    }
    show('IngressController', edge, other)
  }
  showEdge('edge.example.com', 'External')
  expect(await wokenBy(() => showEdge('edge.example.com', 'Internal'))).toEqual([key])
  expect(await wokenBy(() => showEdge('apps.example.com', 'Internal'))).toEqual([
    key,
    'openshift-ingress-operator/other',
  ])
})

/** A controller that is refused, and a client that shows what is written of it; and what others write at the same time. */
function edgeWithReports(show: (kind: string, object: object) => void, others: object = {}) {
  const edge = { metadata: { ...metadata, ...identity }, spec: { replicas: 1 } }
  show('IngressController', edge)
  const reports: object[] = []
  const patch = (async (_, __, { body }: { body: { status: object } }) => {
    const { status } = body
    const written = { ...edge, status, ...others, metadata: { ...edge.metadata, resourceVersion: '2' } }
    reports.push(status)
    show('IngressController', written)
    return written
  }) as ReconcileContext['client']['patch']
  return { client: { patch }, reports }
}

test('to hear of its own report does not wake a controller: nothing else would follow from it', async () => {
  const { look, show, wokenBy } = reconcilerAlone()
  const { client, reports } = edgeWithReports(show)
  expect(await wokenBy(() => look(client))).toEqual([])
  expect(reports).toHaveLength(1)
  await look(client)
  expect(reports).toHaveLength(1)
})

test.each([
  ['the spec', { spec: { replicas: 2 } }],
  ['the status', { status: { conditions: [] } }],
])('whoever changes %s meanwhile wakes it', async (_, others) => {
  const { look, show, wokenBy } = reconcilerAlone()
  const { client } = edgeWithReports(show, others)
  expect(await wokenBy(() => look(client))).toEqual([key])
})

test('a report that was written without an answer is looked at again at once', async () => {
  const { look, show } = reconcilerAlone()
  const { client } = edgeWithReports(show)
  const patch = async (...args: Parameters<typeof client.patch>) => {
    await client.patch(...args)
    throw new Error('read ECONNRESET')
  }
  expect(await look({ patch })).toBe(tryAgain)
})

test('one of which it is heard only after it has failed is news', async () => {
  const { look, show, wokenBy } = reconcilerAlone()
  const { client } = edgeWithReports(show)
  let heard = () => {}
  const patch = (...args: Parameters<typeof client.patch>) => {
    heard = () => void client.patch(...args)
    return Promise.reject(new Error('read ECONNRESET'))
  }
  await expect(look({ patch })).rejects.toThrow('ECONNRESET')
  expect(await wokenBy(() => heard())).toEqual([key])
})

test.each([
  [{}, {}, [key]],
  [{ type: 'HostNetwork' }, {}, [key]],
  [{ type: 'Private' }, {}, []],
  [{ type: 'Private' }, { type: 'HostNetwork' }, [key]],
])(
  'where the spec says %o and the status %o, a node port that is taken wakes %o',
  async (asked, is, woken) => {
    const { show, wokenBy } = reconcilerAlone()
    const [spec, status] = [asked, is].map((strategy) => ({
      ...('type' in strategy && { endpointPublishingStrategy: strategy }),
    }))
    show('IngressController', { metadata: { ...metadata, ...identity }, spec, status })
    const shop = {
      metadata: { ...identity, namespace: 'shop', name: 'web' },
      spec: { ports: [{ nodePort: 80 }] },
    }
    expect(await wokenBy(() => show('Service', shop))).toEqual(woken)
  },
)
