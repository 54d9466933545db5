import { beforeAll, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, itemsIn, listIn, messageOf, namesIn } from './api-verbs.ts'

const server = testedServer()
const kube = new ApiVerbs(server)
let namespace = ''
let path = ''
/** The real cluster puts something of its own into every namespace. */
const ours = 'labelSelector=suite%3Dread'

beforeAll(async () => {
  namespace = await kube.namespace()
  path = `/api/v1/namespaces/${namespace}/configmaps`
  for (const [name, tier] of Object.entries({ a: 'web', b: 'web', c: 'db', d: '' })) {
    const labels = { suite: 'read', ...(tier !== '' && { tier }) }
    await expecting(201, kube.create(path, configMap(name, { name }, { labels })))
  }
})

test('A GET of an object that does not exist is a NotFound that names it', async () => {
  expect(await kube.get(`${path}/nope`)).toMatchObject({
    code: 404,
    body: {
      message: 'configmaps "nope" not found',
      reason: 'NotFound',
      details: { name: 'nope', kind: 'configmaps' },
    },
  })
})

test('A list is ordered by name, and its items do not repeat their type', async () => {
  const answer = await kube.get(`${path}?${ours}`)
  expect(answer).toMatchObject({ code: 200, body: { kind: 'ConfigMapList', apiVersion: 'v1' } })
  expect(namesIn(answer)).toEqual(['a', 'b', 'c', 'd'])
  expect(itemsIn(answer)[0]).not.toHaveProperty('kind')
})

test.each([
  ['tier%3Dweb', ['a', 'b']],
  ['tier%3D%3Ddb', ['c']],
  ['tier!%3Dweb', ['c', 'd']],
  ['tier%20in%20(web,db)', ['a', 'b', 'c']],
  ['tier%20notin%20(web)', ['c', 'd']],
  ['tier', ['a', 'b', 'c']],
  ['!tier', ['d']],
])('The label selector %s selects %j', async (selector, names) => {
  expect(namesIn(await kube.get(`${path}?${ours},${selector}`))).toEqual(names)
})

test.each(['a%3D%3D%3Db', 'a%20in%20b', '!'])('The label selector %s is refused', async (selector) => {
  expect(await kube.get(`${path}?labelSelector=${selector}`)).toMatchObject({
    code: 400,
    body: { reason: 'BadRequest' },
  })
})

test('Objects are selected by name and by namespace', async () => {
  expect(namesIn(await kube.get(`${path}?fieldSelector=metadata.name%3Db`))).toEqual(['b'])
  const query = `fieldSelector=metadata.namespace%3D${namespace},metadata.name!%3Db&${ours}`
  expect(namesIn(await kube.get(`/api/v1/configmaps?${query}`))).toEqual(['a', 'c', 'd'])
})

test('A field selector of another field is refused', async () => {
  expect(messageOf(await kube.get(`${path}?fieldSelector=data.x%3D1`))).toBe(
    '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  )
  const services = `/api/v1/namespaces/${namespace}/services`
  expect(messageOf(await kube.get(`${services}?fieldSelector=data.x%3D1`))).toBe(
    'field label not supported: data.x',
  )
})

test('A list comes in pages, all of the version of the first', async () => {
  const first = await kube.get(`${path}?${ours}&limit=3`)
  expect(namesIn(first)).toEqual(['a', 'b', 'c'])
  const { metadata } = listIn(first)
  await kube.create(path, configMap('e', {}, { labels: { suite: 'read' } }))
  const token = encodeURIComponent(metadata.continue ?? '')
  const second = await kube.get(`${path}?${ours}&limit=3&continue=${token}`)
  expect(namesIn(second)).toEqual(['d'])
  expect(listIn(second).metadata.continue ?? '').toBe('')
  expect(listIn(second).metadata.resourceVersion).toBe(metadata.resourceVersion)
  await kube.delete(`${path}/e`)
})

test('A page without a selector says how many items remain', async () => {
  const { metadata } = listIn(await kube.get(`${path}?limit=1`))
  expect(metadata.remainingItemCount).toBeGreaterThanOrEqual(3)
  expect(listIn(await kube.get(`${path}?limit=1&${ours}`)).metadata).not.toHaveProperty('remainingItemCount')
})

test('A page cannot be requested at another version', async () => {
  const { metadata } = listIn(await kube.get(`${path}?limit=1`))
  const token = encodeURIComponent(metadata.continue ?? '')
  expect(await kube.get(`${path}?limit=1&resourceVersion=5&continue=${token}`)).toMatchObject({
    code: 400,
    body: { message: 'specifying resource version is not allowed when using continue' },
  })
})

test('An invalid continue token is refused', async () => {
  expect(await kube.get(`${path}?limit=1&continue=abc`)).toMatchObject({ code: 400 })
})

test('A list at an exact version shows the collection as it was then', async () => {
  const { metadata } = listIn(await kube.get(`${path}?${ours}`))
  await kube.create(path, configMap('later', {}, { labels: { suite: 'read' } }))
  const then = `${path}?${ours}&resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`
  expect(namesIn(await kube.get(then))).not.toContain('later')
  const since = then.replace('Exact', 'NotOlderThan')
  expect(namesIn(await kube.get(since))).toContain('later')
  await kube.delete(`${path}/later`)
})

test('A page at a version shows the collection as it was then', async () => {
  const { metadata } = listIn(await kube.get(`${path}?${ours}`))
  await kube.create(path, configMap('aa', {}, { labels: { suite: 'read' } }))
  const page = await kube.get(`${path}?${ours}&limit=2&resourceVersion=${metadata.resourceVersion}`)
  expect(namesIn(page)).toEqual(['a', 'b'])
  expect(listIn(page).metadata.resourceVersion).toBe(metadata.resourceVersion)
  await kube.delete(`${path}/aa`)
})

test.each([
  ['resourceVersionMatch=Exact', 422],
  ['resourceVersion=0&resourceVersionMatch=Exact', 422],
  ['resourceVersion=1&resourceVersionMatch=Other', 422],
  ['resourceVersion=abc', 400],
  ['limit=abc', 400],
])('A list with %s is refused with %i', async (query, code) => {
  expect((await kube.get(`${path}?${query}`)).code).toBe(code)
})

// Of Events: the real server keeps no snapshots of these in memory, which know of no compaction from outside.
test('A page has expired after a compaction, and the rest can be listed as it is now', async () => {
  const events = `/api/v1/namespaces/${namespace}/events`
  const involvedObject = { namespace, kind: 'ConfigMap', name: 'a' }
  const create = (name: string) =>
    expecting(201, kube.create(events, { metadata: { name, labels: { suite: 'read' } }, involvedObject }))
  for (const name of ['a', 'b', 'c']) await create(name)
  const { metadata } = listIn(await kube.get(`${events}?${ours}&limit=2`))
  await create('bb')
  await server.compact()
  const pageAfter = (token = '') =>
    kube.get(`${events}?${ours}&limit=2&continue=${encodeURIComponent(token)}`)
  const page = await pageAfter(metadata.continue)
  expect(page).toMatchObject({
    code: 410,
    body: {
      reason: 'Expired',
      message: expect.stringContaining('The provided continue parameter is too old') as unknown,
      metadata: { continue: expect.any(String) as unknown },
    },
  })
  const rest = await pageAfter(listIn(page).metadata.continue)
  expect(rest.code).toBe(200)
  expect(namesIn(rest)).toEqual(['bb', 'c'])
})

test('An earlier version cannot be listed after a compaction', async () => {
  await kube.create(path, configMap('latest'))
  await server.compact()
  const events = `/api/v1/namespaces/${namespace}/events`
  expect(await kube.get(`${events}?resourceVersionMatch=Exact&resourceVersion=1`)).toMatchObject({
    code: 410,
    body: { reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
  })
  await kube.delete(`${path}/latest`)
})

test('All namespaces can be listed at once', async () => {
  const answer = await kube.get(`/api/v1/configmaps?${ours}&fieldSelector=metadata.namespace%3D${namespace}`)
  expect(namesIn(answer)).toEqual(['a', 'b', 'c', 'd'])
})

test('A list in a namespace that does not exist is empty', async () => {
  expect(itemsIn(await kube.get('/api/v1/namespaces/nope/configmaps'))).toEqual([])
})

test('The metadata alone can be requested', async () => {
  const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
  const answer = await kube.get(`${path}/a`, { accept })
  expect(answer).toMatchObject({
    code: 200,
    body: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
  })
  expect(answer.body).not.toHaveProperty('data')
  expect(await kube.get(path, { accept })).toMatchObject({ code: 406 })
})
