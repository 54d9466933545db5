import {
  Cache,
  type Client,
  type ClusterAccess,
  ConfigMap,
  createMetrics,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import { Watch, type WatchOptions } from '@portcullis/kube/internal/informer/watch.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ControlPlane, startControlPlane } from '../clusters/control-plane.ts'
import { eventually } from '../clusters/eventually.ts'
import type { FaultProxy } from '../clusters/fault-proxy.ts'
import {
  corruptLine,
  delay,
  resetAfter,
  resetBeforeForwarding,
  respond,
  stallAfter,
  truncateLine,
  watchError,
} from '../clusters/faults/faults.ts'
import { lists, streamedLists, watches } from '../clusters/faults/requests.ts'
import { adminAccess, connect, throughProxy } from '../clusters/test-client.ts'
import { namespace, objects, startChurn } from './churn.ts'

type ConfigMapObject = NonNullable<typeof ConfigMap.object>

const watchesMaps = watches('configmaps')
const listsMaps = lists('configmaps')
const streamsMaps = streamedLists('configmaps')

let plane: ControlPlane
beforeAll(async () => {
  plane = await startControlPlane({ parts: 'etcd+apiserver' })
  await populate()
})
afterAll(() => plane?.stop())

async function populate(): Promise<void> {
  const { code, stderr } = await plane.kubectl(['create', 'namespace', namespace])
  if (code !== 0) throw new Error(stderr)
}

/** A store, and the watch that feeds it. */
function aWatch(access: ClusterAccess, options: Partial<WatchOptions<ConfigMapObject>> = {}) {
  const metrics = createMetrics('portcullis')
  const store = new Cache<ConfigMapObject>({ name: 'ConfigMap', log: silentLogger, metrics })
  const watch = new Watch<ConfigMapObject>({
    client: connect(access),
    kind: ConfigMap,
    selection: { namespace },
    sink: store,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    metrics,
    backoff: { baseMs: 20, maxMs: 500, jitter: 0.5 },
    ...options,
  })
  return { store, watch, metrics }
}

/** A cache fed through the fault proxy, while another client changes the objects. */
async function aWatchedCluster(options: Partial<WatchOptions<ConfigMapObject>> = {}) {
  const direct = connect(await adminAccess(plane))
  await fill(direct)
  const { proxy, access } = await throughProxy(plane)
  const { store, watch, metrics } = aWatch(access, options)
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  const churn = startChurn(direct)
  onTestFinished(async () => {
    await churn.stop()
    stop.abort(new Error('the test is over'))
    await running
  })
  await store.synced(AbortSignal.timeout(30_000))
  await eventually(() => expect(watch.state.state).toBe('watching'))
  return { direct, proxy, store, watch, churn, metrics }
}

/** Brings the collection up to its size again, whatever the story before has left. */
async function fill(client: Client): Promise<void> {
  const present = new Set(
    (await client.list(ConfigMap, { namespace })).items.map(({ metadata }) => metadata.name),
  )
  const missing = Array.from({ length: objects }, (_, at) => `map-${at}`).filter((name) => !present.has(name))
  await Promise.all(
    missing.map((name) =>
      client.create(ConfigMap, { metadata: { namespace, name }, data: { text: 'é€😀\n' } }),
    ),
  )
}

/** The claim of every story: with the churn over, the store is what the server lists, to the last field. */
async function expectStoreEqualsServer({
  direct,
  store,
  churn,
}: Pick<Awaited<ReturnType<typeof aWatchedCluster>>, 'direct' | 'store' | 'churn'>): Promise<void> {
  await churn.stop()
  expect(churn.changes).toBeGreaterThan(0)
  const { items } = await direct.list(ConfigMap, { namespace })
  expect(items.length).toBeGreaterThan(objects / 2)
  await eventually(() => {
    expect(store.size).toBe(items.length)
    for (const item of items) expect(store.get(`${namespace}/${item.metadata.name}`)).toEqual(item)
  })
}

const afterEvents = (lines: number) => ({ lines })

/** Faults that the proxy puts into the watch, and how many requests each must meet. */
const stories: {
  readonly name: string
  readonly inject: (proxy: FaultProxy) => () => void
  readonly options?: object
}[] = [
  {
    name: 'connections reset in mid-watch, ten times',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: resetAfter(afterEvents(5)), times: 10 }), 10, proxy),
  },
  {
    name: 'a 410 as an answer, and one as an event in the stream',
    inject: (proxy) => {
      const events = meets(proxy.inject({ when: watchesMaps, fault: watchError(410), times: 2 }), 2, proxy)
      const answers = meets(proxy.inject({ when: watchesMaps, fault: respond(410), times: 2 }), 2, proxy)
      return () => {
        events()
        answers()
      }
    },
  },
  {
    name: 'a 410, where lists come in pages, that also meets one of these',
    inject: (proxy) => {
      const watch = meets(proxy.inject({ when: watchesMaps, fault: watchError(410) }), 1, proxy)
      proxy.inject({ when: streamsMaps, fault: respond(422), times: Number.POSITIVE_INFINITY })
      const isLaterPage = (request: Parameters<typeof listsMaps>[0]) =>
        listsMaps(request) && request.query.has('continue')
      const page = meets(proxy.inject({ when: isLaterPage, fault: respond(410) }), 1, proxy)
      return () => {
        watch()
        page()
      }
    },
  },
  {
    name: 'a streamed list that is reset on the way, again and again, until it is asked for in pages',
    inject: (proxy) => brokenLists(proxy, resetAfter({ lines: 1000 }), 3),
  },
  {
    name: 'a streamed list with half a line, after which it ends as if nothing were wrong',
    inject: (proxy) => brokenLists(proxy, truncateLine(1000, 'end'), 2),
  },
  {
    name: 'a streamed list with a line that makes no sense',
    inject: (proxy) => brokenLists(proxy, corruptLine(1000), 2),
  },
  {
    name: 'a streamed list that stalls on the way',
    inject: (proxy) => brokenLists(proxy, stallAfter({ lines: 1000 }), 1),
    options: { idleTimeoutMs: 700 },
  },
  {
    name: 'a streamed list that expires on the way, is answered with errors, or comes late',
    inject: (proxy) => {
      const expired = brokenLists(proxy, watchError(410), 1)
      const busy = proxy.inject({ when: streamsMaps, fault: respond(429, { retryAfter: 1 }) })
      const failed = proxy.inject({ when: streamsMaps, fault: respond(500) })
      return () => {
        expired()
        expect([busy.met, failed.met]).toEqual([1, 1])
      }
    },
  },
  {
    name: 'a 429 with Retry-After',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: respond(429, { retryAfter: 1 }), times: 2 }), 2, proxy),
  },
  {
    name: 'a burst of 500 and 503',
    inject: (proxy) => {
      const first = meets(proxy.inject({ when: watchesMaps, fault: respond(500), times: 5 }), 5, proxy)
      const second = meets(proxy.inject({ when: watchesMaps, fault: respond(503), times: 5 }), 5, proxy)
      return () => {
        first()
        second()
      }
    },
  },
  {
    name: 'connections that cannot be made',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: resetBeforeForwarding, times: 5 }), 5, proxy),
  },
  {
    name: 'latency on every request',
    inject: (proxy) => {
      proxy.inject({ when: () => true, fault: delay(150), times: Number.POSITIVE_INFINITY })
      return meets(proxy.inject({ when: watchesMaps, fault: resetAfter(afterEvents(3)), times: 3 }), 3, proxy)
    },
  },
  {
    name: 'a connection that stalls without a word, and is noticed',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: stallAfter(afterEvents(4)), times: 2 }), 2, proxy),
    options: { idleTimeoutMs: 700 },
  },
  {
    name: 'JSON cut in the middle, the stream then ended as if nothing were wrong',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: truncateLine(6, 'end'), times: 5 }), 5, proxy),
  },
  {
    name: 'JSON cut in the middle by a reset',
    inject: (proxy) =>
      meets(proxy.inject({ when: watchesMaps, fault: truncateLine(2, 'reset'), times: 5 }), 5, proxy),
  },
  {
    name: 'a line that makes no sense, so often that only a new list helps',
    inject: (proxy) => meets(proxy.inject({ when: watchesMaps, fault: corruptLine(1), times: 4 }), 4, proxy),
  },
]

/** Makes everything be listed again, and each such list break. */
function brokenLists(proxy: FaultProxy, fault: Parameters<FaultProxy['inject']>[0]['fault'], times: number) {
  const expired = proxy.inject({
    when: (request) => watchesMaps(request) && !streamsMaps(request),
    fault: respond(410),
  })
  const broken = meets(proxy.inject({ when: streamsMaps, fault, times }), times, proxy)
  return () => {
    expect(expired.met).toBe(1)
    broken()
  }
}

/** A check that the rule has met so many requests: a story in which nothing happened proves nothing. */
function meets(injection: ReturnType<FaultProxy['inject']>, times: number, proxy: FaultProxy): () => void {
  proxy.resetAll(watchesMaps) // The watch under way knows nothing of the rule: the next one will.
  return () => expect(injection.met).toBe(times)
}

describe('The cache after faults', () => {
  test.each(stories)('The cache equals the server after $name', async ({ inject, options }) => {
    const cluster = await aWatchedCluster(options)
    const allMet = inject(cluster.proxy)
    await eventually(allMet, 60_000)
    cluster.proxy.heal()
    await expectStoreEqualsServer(cluster)
  })

  test('The cache equals the server after an outage of the network', async () => {
    const cluster = await aWatchedCluster()
    await cluster.proxy.outage()
    await eventually(() => expect(cluster.watch.state.state).toBe('failing'))
    const changesBefore = cluster.churn.changes
    await eventually(() => expect(cluster.churn.changes).toBeGreaterThan(changesBefore + 100))
    await cluster.proxy.restore()
    await expectStoreEqualsServer(cluster)
    expect(cluster.watch.state.state).toBe('watching')
  })

  test.each(['graceful', 'kill'] as const)(
    'The cache equals the server after a restart of the API server (%s)',
    async (how) => {
      const cluster = await aWatchedCluster()
      await plane.restartApiServer(how)
      const changesBefore = cluster.churn.changes
      await eventually(() => expect(cluster.churn.changes).toBeGreaterThan(changesBefore + 100), 60_000)
      await expectStoreEqualsServer(cluster)
    },
  )

  test('The cache equals the server after a compaction of etcd during an outage, so that its version is gone', async () => {
    const cluster = await aWatchedCluster()
    await cluster.proxy.outage()
    const changesBefore = cluster.churn.changes
    await eventually(() => expect(cluster.churn.changes).toBeGreaterThan(changesBefore + 100))
    await plane.compactEtcd()
    await plane.restartApiServer() // Empties the watch cache, which still remembers.
    cluster.proxy.forget()
    await cluster.proxy.restore()
    await expectStoreEqualsServer(cluster)
    expect(cluster.proxy.seen(streamsMaps)).toBeGreaterThan(0)
  })
})

test('A broken watch resumes from its version, without a list', async () => {
  const cluster = await aWatchedCluster()
  cluster.proxy.forget()
  for (let times = 0; times < 5; times++) {
    const before = cluster.proxy.seen(watchesMaps)
    cluster.proxy.resetAll(watchesMaps)
    await eventually(() => expect(cluster.proxy.seen(watchesMaps)).toBeGreaterThan(before))
  }
  await expectStoreEqualsServer(cluster)
  expect(cluster.proxy.seen(listsMaps)).toBe(0)
  expect(cluster.proxy.seen(streamsMaps)).toBe(0)
})

test('A forbidden list is logged, retried for ever, and recovers by itself', async () => {
  const { proxy, access } = await throughProxy(plane)
  const forbidden = proxy.inject({
    when: watchesMaps,
    fault: respond(403, { message: 'configmaps is forbidden: User "x" cannot list resource "configmaps"' }),
    times: Number.POSITIVE_INFINITY,
  })
  const { store, watch } = aWatch(access)
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await eventually(() => expect(forbidden.met).toBeGreaterThan(5))
  expect(watch.state).toMatchObject({
    state: 'failing',
    problem:
      'Cannot watch ConfigMap in namespace churn: 403 Forbidden: configmaps is forbidden: User "x" cannot list resource "configmaps"',
  })
  expect(store.hasSynced).toBe(false)
  forbidden.lift()
  await store.synced(AbortSignal.timeout(10_000))
  stop.abort()
  await running
})

test('A server without streamed lists is asked once, and then for pages, and nothing is missing', async () => {
  const old = await startControlPlane({
    parts: 'etcd+apiserver',
    apiServerFlags: ['--feature-gates=WatchList=false'],
  })
  onTestFinished(() => old.stop())
  const direct = connect(await adminAccess(old))
  const names = Array.from({ length: 700 }, (_, at) => `map-${at}`)
  await Promise.all(
    names.map((name) => direct.create(ConfigMap, { metadata: { namespace: 'default', name } })),
  )
  const { proxy, access } = await throughProxy(old)
  const { store, watch } = aWatch(access, { selection: { namespace: 'default' } })
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await store.synced(AbortSignal.timeout(30_000))
  expect(names.filter((name) => store.get(`default/${name}`) === undefined)).toEqual([])
  const expired = proxy.inject({ when: watchesMaps, fault: watchError(410) })
  proxy.resetAll(watchesMaps)
  await eventually(() => expect(expired.met).toBe(1))
  await direct.create(ConfigMap, { metadata: { namespace: 'default', name: 'late' } })
  await eventually(() => expect(store.get('default/late')).toBeDefined())
  expect(proxy.requests.filter(streamsMaps).map(({ status }) => status)).toEqual([422])
  expect(proxy.requests.filter(listsMaps).map(({ query }) => query.get('limit'))).toEqual(
    expect.arrayContaining(['100', '400']),
  )
  stop.abort()
  await running
})
