import { beforeEach, expect, test } from 'vitest'
import { testedServer, type Watch, type WatchEvent } from './api-server.ts'
import { ApiVerbs, configMap, expecting, listIn } from './api-verbs.ts'

const server = testedServer()
const kube = new ApiVerbs(server)
let path = ''
/** The real cluster puts something of its own into every namespace. */
const ours = 'labelSelector=suite'

beforeEach(async () => {
  path = `/api/v1/namespaces/${await kube.namespace()}/configmaps`
})

const ourMap = (name: string, data: object, labels: object = {}) =>
  configMap(name, data, { labels: { suite: 'watch', ...labels } })

const named = (name: string) => (event: WatchEvent) => event.object.metadata?.name === name

async function upTo(watch: Watch, name: string): Promise<string[]> {
  const events = await watch.until(named(name))
  watch.close()
  return events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`)
}

test('A watch sends the events after a version, in order', async () => {
  const { metadata } = await expecting(201, kube.create(path, ourMap('a', { x: '1' })))
  await kube.patch('merge', `${path}/a`, { data: { x: '2' } })
  const watch = await kube.watch(`${path}?watch=1&${ours}&resourceVersion=${metadata.resourceVersion}`)
  await kube.delete(`${path}/a`)
  await kube.create(path, ourMap('z', {}))
  expect(await upTo(watch, 'z')).toEqual(['MODIFIED a', 'DELETED a', 'ADDED z'])
})

test('A deletion carries the object as it was, at the version of the deletion', async () => {
  const created = await expecting(201, kube.create(path, ourMap('a', { x: '1' })))
  const watch = await kube.watch(
    `${path}?watch=1&${ours}&resourceVersion=${created.metadata.resourceVersion}`,
  )
  await kube.delete(`${path}/a`)
  const [event] = await watch.until(({ type }) => type === 'DELETED')
  watch.close()
  expect(event?.object).toMatchObject({ data: { x: '1' } })
  expect(Number(event?.object.metadata?.resourceVersion)).toBeGreaterThan(
    Number(created.metadata.resourceVersion),
  )
})

test('A watch without a version starts with the existing objects', async () => {
  await kube.create(path, ourMap('b', {}))
  await kube.create(path, ourMap('a', {}))
  for (const query of ['', '&resourceVersion=0']) {
    const watch = await kube.watch(`${path}?watch=true&${ours}${query}`)
    const events = await watch.until(named('b'))
    watch.close()
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED'])
  }
})

test('An object that begins to match a selector is ADDED, and one that stops matching is DELETED', async () => {
  await kube.create(path, ourMap('a', {}))
  const { metadata } = listIn(await kube.get(path))
  const query = `labelSelector=tier%3Dweb&resourceVersion=${metadata.resourceVersion}`
  const watch = await kube.watch(`${path}?watch=1&${query}`)
  await kube.patch('merge', `${path}/a`, { metadata: { labels: { tier: 'web' } } })
  await kube.patch('merge', `${path}/a`, { data: { x: '1' } })
  await kube.patch('merge', `${path}/a`, { metadata: { labels: { tier: 'db' } } })
  await kube.create(path, ourMap('z', {}, { tier: 'web' }))
  expect(await upTo(watch, 'z')).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED z'])
})

test('An identical write is no event', async () => {
  const { metadata } = await expecting(201, kube.create(path, ourMap('a', { x: '1' })))
  const watch = await kube.watch(`${path}?watch=1&${ours}&resourceVersion=${metadata.resourceVersion}`)
  await kube.patch('merge', `${path}/a`, { data: { x: '1' } })
  await kube.create(path, ourMap('z', {}))
  expect(await upTo(watch, 'z')).toEqual(['ADDED z'])
})

test('A single object can be watched', async () => {
  await kube.create(path, ourMap('a', {}))
  await kube.create(path, ourMap('z', {}))
  const watch = await kube.watch(`${path}?watch=1&fieldSelector=metadata.name%3Dz&resourceVersion=0`)
  expect(await upTo(watch, 'z')).toEqual(['ADDED z'])
})

test('A watch ends after its timeout', async () => {
  const watch = await kube.watch(`${path}?watch=1&${ours}&timeoutSeconds=1&resourceVersion=0`)
  expect(await watch.all()).toEqual([])
})

test('The initial events of a streamed list end with a bookmark that says so', async () => {
  await kube.create(path, ourMap('a', {}))
  const query = `${ours}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`
  const watch = await kube.watch(`${path}?watch=1&${query}`)
  const events = await watch.until(({ type }) => type === 'BOOKMARK')
  watch.close()
  expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK'])
  expect(events[1]?.object).toMatchObject({
    kind: 'ConfigMap',
    metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
  })
})

test.each(['services', 'events', 'nodes'])(
  'The initial events of %s end with a bookmark from whose version on a watch goes on',
  async (plural) => {
    const collection = plural === 'nodes' ? '/api/v1/nodes' : path.replace('configmaps', plural)
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await kube.watch(`${collection}?watch=1&${query}`)
    const events = await watch.until(({ type }) => type === 'BOOKMARK')
    watch.close()
    const { metadata } = events.at(-1)?.object ?? {}
    expect(metadata).toMatchObject({ annotations: { 'k8s.io/initial-events-end': 'true' } })
    const after = await kube.watch(
      `${collection}?watch=1&timeoutSeconds=1&resourceVersion=${metadata?.resourceVersion}`,
    )
    expect(after.code).toBe(200)
    after.close()
  },
)

test('Initial events are sent once, and later events follow in the same watch', async () => {
  await kube.create(path, ourMap('a', {}))
  const query = `${ours}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`
  const watch = await kube.watch(`${path}?watch=1&${query}`)
  await watch.until(({ type }) => type === 'BOOKMARK')
  await kube.create(path, ourMap('z', {}))
  expect(await upTo(watch, 'z')).toEqual(['ADDED a', 'BOOKMARK ', 'ADDED z'])
})

test('Initial events of a future version are refused in the watch itself', async () => {
  const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999'
  const watch = await kube.watch(`${path}?watch=1&${query}`)
  expect(await watch.all()).toMatchObject([
    {
      type: 'ERROR',
      object: { kind: 'Status', code: 504, reason: 'Timeout', details: { retryAfterSeconds: 1 } },
    },
  ])
})

test('A watch without initial events sends later events only', async () => {
  await kube.create(path, ourMap('a', {}))
  const query = `${ours}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`
  const watch = await kube.watch(`${path}?watch=1&${query}`)
  await kube.create(path, ourMap('z', {}))
  expect(await upTo(watch, 'z')).toEqual(['ADDED z'])
})

test.each([
  'watch=1&sendInitialEvents=true',
  'watch=1&sendInitialEvents=false',
  'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
  'watch=1&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true',
])('A request for initial events with %s is refused', async (query) => {
  expect(await kube.get(`${path}?${query}`)).toMatchObject({ code: 422 })
})

test('A watch from a compacted version ends with an ERROR event', async () => {
  // Of Events the real server keeps no cache, which would remember longer than its storage.
  const events = path.replace('configmaps', 'events')
  await server.compact()
  const watch = await kube.watch(`${events}?watch=1&resourceVersion=1`)
  expect(await watch.all()).toMatchObject([
    { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
  ])
})

test('An invalid resource version is refused', async () => {
  expect((await kube.get(`${path}?watch=1&resourceVersion=abc`)).code).toBeGreaterThanOrEqual(400)
})

test('A watch in the form of a table names its columns once', async () => {
  await kube.create(path, ourMap('a', {}))
  await kube.create(path, ourMap('z', {}))
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const watch = await server.watch(`${path}?watch=1&${ours}&resourceVersion=0`, { accept })
  const events = await watch.until(({ object }) => JSON.stringify(object).includes('"z"'))
  watch.close()
  expect(events.map(({ object }) => object['columnDefinitions'] !== null)).toEqual([true, false])
})
