import {
  ApiError,
  applyMergePatch,
  type Kind,
  type KubeObject,
  type MergePatch,
  type ReconcileContext,
  silentLogger,
} from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import { Registry } from 'prom-client'
import { AddressBook } from '../addresses/address-book.ts'
import { IngressMetrics } from '../ingress/metrics.ts'
import { ingressReconciler } from '../ingress/reconciler.ts'
import { defaultSettings } from '../ingress/settings.ts'
import { watchedKinds } from '../ingress/watched-kinds.ts'

export const key = 'openshift-ingress-operator/edge'

/** The reconciler of a cluster on which there is nothing but what is shown to it. */
export function reconcilerAlone() {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const registry = new Registry()
  const table = watchedKinds(defaultSettings)
  const caches = emptyCaches(table)
  const warnings: string[] = []
  const metrics = new IngressMetrics({ registry, clock })
  const reconciler = ingressReconciler({ caches, book, clock, metrics, settings: defaultSettings })
  const log = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
  const reconcile = (client: Partial<ReconcileContext['client']> = {}) => {
    const events = { record: () => {} }
    const context = { log, client, events } as unknown as ReconcileContext & { log: typeof log }
    return reconciler.reconcile(key, context)
  }
  const show = (kind: string, ...objects: object[]) => {
    for (const name of Object.keys(table) as (keyof typeof table)[])
      if (table[name].kind.kind === kind) caches[name].replace(objects as never)
  }
  const orphaned = () => registry.getSingleMetricAsString('portcullis_left_behind_objects')
  /** The keys that a change enqueues; those that are enqueued at the start do not count. */
  const enqueuedBy = async (change: () => unknown) => {
    let enqueued: string[] = []
    const listener = { enqueue: (one: string) => void enqueued.push(one), onMapError: () => {} }
    const ends = reconciler.sources.map((source) => source.subscribe(listener))
    enqueued = []
    await change()
    for (const end of ends) end()
    return [...new Set(enqueued)].toSorted()
  }
  return { book, clock, reconcile, show, enqueuedBy, warnings, orphaned }
}

export const identity = { uid: 'u', resourceVersion: '1' }

export const metadata = { namespace: 'openshift-ingress-operator', name: 'edge' }

/** A controller on AWS, and a client of an API server that takes what it is sent, but for objects of some kinds. */
export function edgeOnAws(show: (kind: string, ...objects: object[]) => void, refusedKinds: Set<string>) {
  show('Infrastructure', {
    metadata: { ...identity, name: 'cluster' },
    status: { platformStatus: { type: 'AWS' } },
  })
  const objects = new Map<string, Map<string, KubeObject>>()
  const sent: string[] = []
  let version = 1
  const put = (kind: string, object: KubeObject) => {
    const { name = '' } = object.metadata ?? {}
    const resourceVersion = String(++version)
    const live = { ...object, metadata: { uid: `${kind}-${name}`, ...object.metadata, resourceVersion } }
    objects.set(kind, new Map(objects.get(kind)).set(name, live))
    show(kind, ...(objects.get(kind)?.values() ?? []))
    return live
  }
  put('IngressController', { metadata, spec: { domain: 'edge.example.com' } } as KubeObject)
  const client = {
    create: async ({ kind }: Kind, object: KubeObject) => {
      sent.push(kind)
      if (refusedKinds.has(kind))
        throw new ApiError(`create ${kind}`, 403, { reason: 'Forbidden', message: `no ${kind} for you` })
      return put(kind, object)
    },
    patch: async ({ kind }: Kind, { name }: { name: string }, { body }: { body: object }) => {
      if (refusedKinds.has(kind) && !('status' in body)) throw new ApiError(`patch ${kind}`, 403, {})
      const before = objects.get(kind)?.get(name) ?? {}
      return put(kind, applyMergePatch(before as MergePatch, body as MergePatch))
    },
  } as unknown as ReconcileContext['client']
  const condition = (type: string) => {
    const { status } = (objects.get('IngressController')?.get('edge') ?? {}) as { status?: object }
    return (status as { conditions: { type: string; status: string; message: string }[] }).conditions.find(
      (each) => each.type === type,
    )
  }
  const made = () => [...objects].flatMap(([kind, all]) => [...all.keys()].map((name) => `${kind} ${name}`))
  return { client, condition, made, sent }
}
