import {
  ApiError,
  applyMergePatch,
  ConnectionError,
  type Kind,
  type KubeObject,
  type MergePatch,
  type ReconcileContext,
  requeueWithBackoff,
  silentLogger,
} from '@portcullis/kube'
import { emptyCaches, VirtualClock } from '@portcullis/kube/testing'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { AddressBook } from '../addresses/address-book.ts'
import { IngressController } from './kinds.ts'
import { IngressMetrics } from './metrics.ts'
import { ownerLabel } from './names.ts'
import { ingressClass } from './operands/ingress-class.ts'
import { ingressReconciler } from './reconciler.ts'
import { defaultSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

const key = 'openshift-ingress-operator/edge'

/** The reconciler of a cluster on which there is nothing but what is shown to it. */
function reconcilerAlone() {
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

const identity = { uid: 'u', resourceVersion: '1' }
const labels = { [ownerLabel]: 'edge' }
const service = { metadata: { ...identity, namespace: 'openshift-ingress', name: 'router-edge', labels } }
const metadata = { namespace: 'openshift-ingress-operator', name: 'edge' }
const itsClass = ingressClass({ controller: { metadata: { ...metadata, ...identity } } })
const classOfEdge = { ...itsClass, metadata: { ...itsClass.metadata, ...identity } }

test('The address book keeps a deleted controller while an IngressClass refers to it, and no longer', async () => {
  const { book, clock, reconcile, show } = reconcilerAlone()
  show('IngressClass', classOfEdge)
  await reconcile()
  expect(book.get('edge')).toMatchObject({ addresses: [], isGone: true })
  show('IngressClass')
  await reconcile()
  await clock.advance(100)
  expect(book.get('edge')).toBeUndefined()
})

test('A controller that is recreated with an invalid spec continues the grace period of the one before', async () => {
  const { book, clock, reconcile, show } = reconcilerAlone()
  show('IngressClass', classOfEdge)
  await reconcile()
  const { lostSince } = book.get('edge') ?? {}
  await clock.advance(5000)
  await reconcile(edgeWithReports(show).client)
  await clock.advance(5000)
  expect(book.get('edge')).toEqual({ addresses: [], lostSince })
})

test('A controller that is rejected keeps the selectors that its routers were last given', async () => {
  const { book, reconcile, show } = reconcilerAlone()
  const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
  await reconcile(edgeWithReports(show, {}, trusted).client)
  expect(book.get('edge')).toMatchObject({ shard: trusted })
})

test.each([
  ['ago', '1990-01-01T00:00:00Z'],
  ['to come', '2090-01-01T00:00:00Z'],
])(
  'An address that was lost decades %s by the clock of another machine counts as lost from when this process first observed it',
  async (_, lastTransitionTime) => {
    const { book, clock, reconcile, show } = reconcilerAlone()
    const conditions = [{ type: 'Published', status: 'False', reason: 'NoAddress', lastTransitionTime }]
    const { client } = edgeWithReports(show, {}, { conditions })
    await clock.advance(5000)
    await reconcile(client)
    expect(book.get('edge')).toEqual({ addresses: [], lostSince: clock.monotonic() })
  },
)

test('Objects that a deleted controller leaves behind are counted, and logged once with the command that deletes them', async () => {
  const { reconcile, show, warnings, orphaned } = reconcilerAlone()
  show('Service', service)
  show('IngressClass', classOfEdge)
  await reconcile()
  await reconcile()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('Service openshift-ingress/router-edge, IngressClass portcullis-edge')
  expect(warnings[0]).toContain(
    '`kubectl -n openshift-ingress delete service/router-edge ingressclass/portcullis-edge`',
  )
  expect(await orphaned()).toContain('{name="edge"} 2')
  show('Service')
  show('IngressClass')
  await reconcile()
  expect(await orphaned()).not.toContain('edge')
})

test('Objects that are terminating, or are not ours, do not count as orphaned', async () => {
  const { reconcile, show, warnings, orphaned } = reconcilerAlone()
  show('Service', { metadata: { ...service.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } })
  show('Deployment', { metadata: { ...service.metadata, labels: {} } })
  show('IngressClass', { ...classOfEdge, spec: { parameters: { namespace: 'elsewhere', name: 'edge' } } })
  await reconcile()
  expect(warnings).toEqual([])
  expect(await orphaned()).not.toContain('edge')
})

test('A change of scope enqueues the controller itself, a change of domain all controllers', async () => {
  const { show, enqueuedBy } = reconcilerAlone()
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
  expect(await enqueuedBy(() => showEdge('edge.example.com', 'Internal'))).toEqual([key])
  expect(await enqueuedBy(() => showEdge('apps.example.com', 'Internal'))).toEqual([
    key,
    'openshift-ingress-operator/other',
  ])
})

test('A controller that begins to wait for its domain alone enqueues all controllers, which may want each other’s domains', async () => {
  const { show, enqueuedBy } = reconcilerAlone()
  const other = { metadata: { ...metadata, ...identity, name: 'other' } }
  const showEdge = (resourceVersion: string, reason: string) => {
    const conditions = [{ type: 'Admitted', status: 'False', reason }]
    show(
      'IngressController',
      { metadata: { ...metadata, uid: 'u', resourceVersion }, status: { conditions } },
      other,
    )
  }
  showEdge('1', 'Invalid')
  expect(await enqueuedBy(() => showEdge('2', 'DomainHeld'))).toEqual([
    key,
    'openshift-ingress-operator/other',
  ])
})

/** A controller that is refused, and a client that shows what is written of it; and what others write at the same time. */
function edgeWithReports(
  show: (kind: string, object: object) => void,
  others: object = {},
  before: object = {},
) {
  const edge = { metadata: { ...metadata, ...identity }, spec: { replicas: 1 }, status: before }
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

/** A controller on AWS, and a client of an API server that takes what it is sent, but for objects of some kinds. */
function edgeOnAws(show: (kind: string, ...objects: object[]) => void, refusedKinds: Set<string>) {
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

test('A refused write does not keep the other objects from being created, and the condition names every refusal', async () => {
  const { reconcile, show } = reconcilerAlone()
  const { client, condition, made } = edgeOnAws(show, new Set(['PodDisruptionBudget', 'IngressClass']))
  await expect(reconcile(client)).rejects.toThrow('no IngressClass for you')
  expect(made()).toEqual([
    'IngressController edge',
    'Service router-internal-edge',
    'Service router-edge',
    'Deployment router-edge',
  ])
  expect(condition('OperandsManaged')).toMatchObject({ status: 'False', reason: 'WriteFailed' })
  for (const kind of ['PodDisruptionBudget', 'IngressClass'])
    expect(condition('OperandsManaged')?.message).toContain(`no ${kind} for you`)
})

test.each([
  ['hangs', () => new ConnectionError('create PodDisruptionBudget', 'no answer within 10 s')],
  ['says that it is overloaded', () => new ApiError('create PodDisruptionBudget', 503, {})],
  ['says that there are too many requests', () => new ApiError('create PodDisruptionBudget', 429, {})],
])(
  'A webhook that %s does not keep the load balancer from being created, and the condition names the failure',
  async (_, failure) => {
    const { reconcile, show } = reconcilerAlone()
    const { client, condition, made } = edgeOnAws(show, new Set())
    const create = async (kind: Kind, object: KubeObject) => {
      if (kind.kind === 'PodDisruptionBudget') throw failure()
      return client.create(kind, object)
    }
    const failing = { ...client, create } as ReconcileContext['client']
    await expect(reconcile(failing)).rejects.toThrow('Cannot create PodDisruptionBudget')
    expect(made()).toContain('Service router-edge')
    expect(condition('LoadBalancerReady')).toMatchObject({ status: 'False', reason: 'LoadBalancerPending' })
    expect(condition('OperandsManaged')?.message).toContain('Cannot create PodDisruptionBudget')
  },
)

test('Nothing is created for a controller whose finalizer is refused', async () => {
  const { reconcile, show } = reconcilerAlone()
  const { client, made } = edgeOnAws(show, new Set(['IngressController']))
  await expect(reconcile(client)).rejects.toThrow('403')
  expect(made()).toEqual(['IngressController edge'])
})

test.each([
  ['fast', '2029-12-31T18:00:00Z'],
  ['slow', '2030-01-01T06:00:00Z'],
])(
  'A leader whose clock is hours %s gives a load balancer 90 seconds by its own clock',
  async (_, lastTransitionTime) => {
    const { clock, reconcile, show } = reconcilerAlone()
    const { client, condition } = edgeOnAws(show, new Set())
    await reconcile(client)
    const { status } = condition('LoadBalancerReady') ?? {}
    expect(status).toBe('False')
    await client.patch(
      IngressController,
      metadata,
      {
        type: 'merge',
        body: {
          status: {
            conditions: [
              { type: 'LoadBalancerReady', status, reason: 'LoadBalancerPending', lastTransitionTime },
            ],
          },
        },
      },
      { subresource: 'status' },
    )
    const isLate = () => condition('Degraded')?.message.includes('LoadBalancerReady=False')
    await reconcile(client)
    await clock.advance(80_000)
    await reconcile(client)
    expect(isLate()).toBe(false)
    await clock.advance(10_000)
    await reconcile(client)
    expect(isLate()).toBe(true)
  },
)

test('A refused write is sent ever more rarely, however often the controller is reconciled', async () => {
  const { clock, reconcile, show } = reconcilerAlone()
  const refused = new Set(['PodDisruptionBudget'])
  const { client, made, sent } = edgeOnAws(show, refused)
  for (let times = 0; times < 100; times++) {
    await expect(reconcile(client)).rejects.toThrow('no PodDisruptionBudget for you')
    await clock.advance(1000)
  }
  expect(sent.filter((kind) => kind === 'PodDisruptionBudget').length).toBeLessThan(12)
  refused.clear()
  await clock.advance(60_000)
  await reconcile(client)
  expect(made()).toContain('PodDisruptionBudget router-edge')
})

test('A controller is not enqueued by the watch event of its own status update', async () => {
  const { reconcile, show, enqueuedBy } = reconcilerAlone()
  const { client, reports } = edgeWithReports(show)
  expect(await enqueuedBy(() => reconcile(client))).toEqual([])
  expect(reports).toHaveLength(1)
  await reconcile(client)
  expect(reports).toHaveLength(1)
})

test('A failure that reads differently each time does not enqueue the controller through its own status update', async () => {
  const { reconcile, show, enqueuedBy } = reconcilerAlone()
  const { client, condition } = edgeOnAws(show, new Set())
  let port = 40_000
  const create = async (kind: Kind, object: KubeObject) => {
    if (kind.kind === 'IngressClass') throw new ConnectionError('create', `read 10.0.0.1:${++port}: reset`)
    return client.create(kind, object)
  }
  const failing = { ...client, create } as ReconcileContext['client']
  const reconcileAndFail = () => expect(reconcile(failing)).rejects.toThrow('reset')
  await reconcileAndFail()
  const { message } = condition('OperandsManaged') ?? {}
  expect(await enqueuedBy(reconcileAndFail)).toEqual([])
  expect(condition('OperandsManaged')?.message).not.toBe(message)
})

test.each([
  ['the spec', { spec: { replicas: 2 } }],
  ['the status', { status: { conditions: [] } }],
])(
  'A controller is enqueued when another client changes %s together with its own status update',
  async (_, others) => {
    const { reconcile, show, enqueuedBy } = reconcilerAlone()
    const { client } = edgeWithReports(show, others)
    expect(await enqueuedBy(() => reconcile(client))).toEqual([key])
  },
)

test('A status update whose answer is lost but that is in the cache is requeued without an error', async () => {
  const { reconcile, show } = reconcilerAlone()
  const { client } = edgeWithReports(show)
  const patch = async (...args: Parameters<typeof client.patch>) => {
    await client.patch(...args)
    throw new Error('read ECONNRESET')
  }
  expect(await reconcile({ patch })).toBe(requeueWithBackoff)
})

test('A controller is enqueued by a status update that shows up after it has failed', async () => {
  const { reconcile, show, enqueuedBy } = reconcilerAlone()
  const { client } = edgeWithReports(show)
  let heard = () => {}
  const patch = (...args: Parameters<typeof client.patch>) => {
    heard = () => void client.patch(...args)
    return Promise.reject(new Error('read ECONNRESET'))
  }
  await expect(reconcile({ patch })).rejects.toThrow('ECONNRESET')
  expect(await enqueuedBy(() => heard())).toEqual([key])
})

describe.each([
  [{}, {}, [key]],
  [{ type: 'HostNetwork' }, {}, [key]],
  [{ type: 'Private' }, {}, []],
  [{ type: 'Private' }, { type: 'HostNetwork' }, [key]],
])('Where the spec says %o and the status %o,', (asked, is, enqueued) => {
  const shop = { ...identity, namespace: 'shop', name: 'web' }
  const sharing = () => {
    const alone = reconcilerAlone()
    const [spec, status] = [asked, is].map((strategy) => ({
      ...('type' in strategy && { endpointPublishingStrategy: strategy }),
    }))
    alone.show('IngressController', { metadata: { ...metadata, ...identity }, spec, status })
    return alone
  }

  test('a Service that takes or releases a node port enqueues the controller only if its routers use host ports', async () => {
    const { show, enqueuedBy } = sharing()
    const service = { metadata: shop, spec: { ports: [{ nodePort: 80 }] } }
    expect(await enqueuedBy(() => show('Service', service))).toEqual(enqueued)
    expect(await enqueuedBy(() => show('Service'))).toEqual(enqueued)
  })

  test('a pod that takes or releases a host port enqueues the controller only if its routers use host ports', async () => {
    const { show, enqueuedBy } = sharing()
    const pod = { metadata: shop, spec: { containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] } }
    expect(await enqueuedBy(() => show('Pod', pod))).toEqual(enqueued)
    expect(await enqueuedBy(() => show('Pod'))).toEqual(enqueued)
  })
})

test('A pod without host ports and a Service without node ports enqueue nothing', async () => {
  const { show, enqueuedBy } = reconcilerAlone()
  show('IngressController', { metadata: { ...metadata, ...identity } })
  const shop = { ...identity, namespace: 'shop', name: 'web' }
  const pod = { metadata: shop, spec: { containers: [{ ports: [{ containerPort: 80 }] }] } }
  expect(await enqueuedBy(() => show('Pod', pod))).toEqual([])
  expect(
    await enqueuedBy(() => show('Service', { metadata: shop, spec: { ports: [{ port: 80 }] } })),
  ).toEqual([])
})
