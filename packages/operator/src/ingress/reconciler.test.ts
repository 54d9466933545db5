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
  const look = (client: Partial<ReconcileContext['client']> = {}) => {
    const events = { record: () => {} }
    const context = { log, client, events } as unknown as ReconcileContext & { log: typeof log }
    return reconciler.reconcile(key, context)
  }
  const show = (kind: string, ...objects: object[]) => {
    for (const name of Object.keys(table) as (keyof typeof table)[])
      if (table[name].kind.kind === kind) caches[name].replace(objects as never)
  }
  const leftBehind = () => registry.getSingleMetricAsString('portcullis_left_behind_objects')
  /** The keys that are woken by what is done; those that are woken at the start do not count. */
  const wokenBy = async (change: () => unknown) => {
    let woken: string[] = []
    const listener = { enqueue: (one: string) => void woken.push(one), onMapError: () => {} }
    const ends = reconciler.sources.map((source) => source.subscribe(listener))
    woken = []
    await change()
    for (const end of ends) end()
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

test('a controller that is made anew with a mistake in it goes on with the grace of the one before', async () => {
  const { book, clock, look, show } = reconcilerAlone()
  show('IngressClass', classOfEdge)
  await look()
  const { lostSince } = book.get('edge') ?? {}
  await clock.advance(5000)
  await look(edgeWithReports(show).client)
  await clock.advance(5000)
  expect(book.get('edge')).toEqual({ addresses: [], lostSince })
})

test('a controller that is refused goes on with the selectors that its routers were last told', async () => {
  const { book, look, show } = reconcilerAlone()
  const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
  await look(edgeWithReports(show, {}, trusted).client)
  expect(book.get('edge')).toMatchObject({ shard: trusted })
})

test.each([
  ['ago', '1990-01-01T00:00:00Z'],
  ['to come', '2090-01-01T00:00:00Z'],
])(
  'what another machine took for the time does not matter: a loss of decades %s counts from its own first sight',
  async (_, lastTransitionTime) => {
    const { book, clock, look, show } = reconcilerAlone()
    const conditions = [{ type: 'Published', status: 'False', reason: 'NoAddress', lastTransitionTime }]
    const { client } = edgeWithReports(show, {}, { conditions })
    await clock.advance(5000)
    await look(client)
    expect(book.get('edge')).toEqual({ addresses: [], lostSince: clock.monotonic() })
  },
)

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

test('that one waits for nothing but its domain wakes all of them: they may want each other’s', async () => {
  const { show, wokenBy } = reconcilerAlone()
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
  expect(await wokenBy(() => showEdge('2', 'DomainHeld'))).toEqual([key, 'openshift-ingress-operator/other'])
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

test('what is refused does not keep the rest from being made, and all of it is told', async () => {
  const { look, show } = reconcilerAlone()
  const { client, condition, made } = edgeOnAws(show, new Set(['PodDisruptionBudget', 'IngressClass']))
  await expect(look(client)).rejects.toThrow('no IngressClass for you')
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
  'a webhook that %s keeps no load balancer from being made, and the condition tells of it',
  async (_, failure) => {
    const { look, show } = reconcilerAlone()
    const { client, condition, made } = edgeOnAws(show, new Set())
    const create = async (kind: Kind, object: KubeObject) => {
      if (kind.kind === 'PodDisruptionBudget') throw failure()
      return client.create(kind, object)
    }
    const failing = { ...client, create } as ReconcileContext['client']
    await expect(look(failing)).rejects.toThrow('Cannot create PodDisruptionBudget')
    expect(made()).toContain('Service router-edge')
    expect(condition('LoadBalancerReady')).toMatchObject({ status: 'False', reason: 'LoadBalancerPending' })
    expect(condition('OperandsManaged')?.message).toContain('Cannot create PodDisruptionBudget')
  },
)

test('nothing is made for a controller whose finalizer is refused', async () => {
  const { look, show } = reconcilerAlone()
  const { client, made } = edgeOnAws(show, new Set(['IngressController']))
  await expect(look(client)).rejects.toThrow('403')
  expect(made()).toEqual(['IngressController edge'])
})

test.each([
  ['fast', '2029-12-31T18:00:00Z'],
  ['slow', '2030-01-01T06:00:00Z'],
])(
  'a leader whose clock is hours %s lets a load balancer be late for 90 seconds of its own',
  async (_, lastTransitionTime) => {
    const { clock, look, show } = reconcilerAlone()
    const { client, condition } = edgeOnAws(show, new Set())
    await look(client)
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
    await look(client)
    await clock.advance(80_000)
    await look(client)
    expect(isLate()).toBe(false)
    await clock.advance(10_000)
    await look(client)
    expect(isLate()).toBe(true)
  },
)

test('what is refused is sent ever more rarely, however often there is something to look at', async () => {
  const { clock, look, show } = reconcilerAlone()
  const refused = new Set(['PodDisruptionBudget'])
  const { client, made, sent } = edgeOnAws(show, refused)
  for (let times = 0; times < 100; times++) {
    await expect(look(client)).rejects.toThrow('no PodDisruptionBudget for you')
    await clock.advance(1000)
  }
  expect(sent.filter((kind) => kind === 'PodDisruptionBudget').length).toBeLessThan(12)
  refused.clear()
  await clock.advance(60_000)
  await look(client)
  expect(made()).toContain('PodDisruptionBudget router-edge')
})

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
  expect(await look({ patch })).toBe(requeueWithBackoff)
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

describe.each([
  [{}, {}, [key]],
  [{ type: 'HostNetwork' }, {}, [key]],
  [{ type: 'Private' }, {}, []],
  [{ type: 'Private' }, { type: 'HostNetwork' }, [key]],
])('where the spec says %o and the status %o, %o is woken', (asked, is, woken) => {
  const shop = { ...identity, namespace: 'shop', name: 'web' }
  const sharing = () => {
    const alone = reconcilerAlone()
    const [spec, status] = [asked, is].map((strategy) => ({
      ...('type' in strategy && { endpointPublishingStrategy: strategy }),
    }))
    alone.show('IngressController', { metadata: { ...metadata, ...identity }, spec, status })
    return alone
  }

  test('by a Service that takes a node port, and when it lets it go', async () => {
    const { show, wokenBy } = sharing()
    const service = { metadata: shop, spec: { ports: [{ nodePort: 80 }] } }
    expect(await wokenBy(() => show('Service', service))).toEqual(woken)
    expect(await wokenBy(() => show('Service'))).toEqual(woken)
  })

  test('by a pod that takes a port of its node, and when it lets it go', async () => {
    const { show, wokenBy } = sharing()
    const pod = { metadata: shop, spec: { containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] } }
    expect(await wokenBy(() => show('Pod', pod))).toEqual(woken)
    expect(await wokenBy(() => show('Pod'))).toEqual(woken)
  })
})

test('a pod without ports of its node, and a Service without node ports, wake nobody', async () => {
  const { show, wokenBy } = reconcilerAlone()
  show('IngressController', { metadata: { ...metadata, ...identity } })
  const shop = { ...identity, namespace: 'shop', name: 'web' }
  const pod = { metadata: shop, spec: { containers: [{ ports: [{ containerPort: 80 }] }] } }
  expect(await wokenBy(() => show('Pod', pod))).toEqual([])
  expect(await wokenBy(() => show('Service', { metadata: shop, spec: { ports: [{ port: 80 }] } }))).toEqual(
    [],
  )
})
