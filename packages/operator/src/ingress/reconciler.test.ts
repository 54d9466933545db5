import {
  ConnectionError,
  type Kind,
  type KubeObject,
  type ReconcileContext,
  requeueWithBackoff,
} from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { edgeOnAws, identity, key, metadata, reconcilerAlone } from '../testing/a-reconciler.ts'
import { IngressController } from './kinds.ts'
import { ownerLabel } from './names.ts'
import { ingressClass } from './operands/ingress-class.ts'

const labels = { [ownerLabel]: 'edge' }
const service = { metadata: { ...identity, namespace: 'openshift-ingress', name: 'router-edge', labels } }

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

  test('A Service that takes or releases a node port enqueues the controller only if its routers use host ports', async () => {
    const { show, enqueuedBy } = sharing()
    const service = { metadata: shop, spec: { ports: [{ nodePort: 80 }] } }
    expect(await enqueuedBy(() => show('Service', service))).toEqual(enqueued)
    expect(await enqueuedBy(() => show('Service'))).toEqual(enqueued)
  })

  test('A pod that takes or releases a host port enqueues the controller only if its routers use host ports', async () => {
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
