import { beforeEach, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, messageOf, namesIn } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let namespace = ''
let path = ''

beforeEach(async () => {
  namespace = await kube.namespace()
  path = `/api/v1/namespaces/${namespace}/configmaps`
})

test('A deletion returns a Status that names the deleted object', async () => {
  const { metadata } = await expecting(201, kube.create(path, configMap('gone')))
  expect(await kube.delete(`${path}/gone`)).toMatchObject({
    code: 200,
    body: {
      kind: 'Status',
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps', uid: metadata.uid },
    },
  })
  expect(await kube.delete(`${path}/gone`)).toMatchObject({ code: 404 })
})

test('A deletion of some kinds returns the object', async () => {
  const services = `/api/v1/namespaces/${namespace}/services`
  await kube.create(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } })
  expect(await kube.delete(`${services}/s`)).toMatchObject({ code: 200, body: { kind: 'Service' } })
})

test('A finalizer keeps an object until it is removed', async () => {
  const finalizers = ['example.com/hold']
  await kube.create(path, configMap('held', {}, { finalizers }))
  const deleted = await expecting(200, kube.delete(`${path}/held`))
  expect(deleted.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers })
  expect(deleted.metadata['deletionTimestamp']).toMatch(/Z$/)
  const again = await expecting(200, kube.delete(`${path}/held`))
  expect(again.metadata.resourceVersion).toBe(deleted.metadata.resourceVersion)
  expect(await kube.patch('merge', `${path}/held`, { metadata: { finalizers: null } })).toMatchObject({
    code: 200,
  })
  expect(await kube.get(`${path}/held`)).toMatchObject({ code: 404 })
})

test('An object that is terminating takes no new finalizer', async () => {
  await kube.create(path, configMap('late', {}, { finalizers: ['example.com/hold'] }))
  await kube.delete(`${path}/late`)
  const patch = { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } }
  const answer = await kube.patch('merge', `${path}/late`, patch)
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted',
  )
})

test.each([
  ['another incarnation', { preconditions: { uid: 'another' } }, 409],
  ['another version', { preconditions: { resourceVersion: '1' } }, 409],
  ['a policy that is none', { propagationPolicy: 'Other' }, 422],
  ['two policies', { propagationPolicy: 'Orphan', orphanDependents: true }, 422],
  ['a dry run of some', { dryRun: ['Some'] }, 422],
])('A deletion with %s is refused', async (_, options, code) => {
  await kube.create(path, configMap('kept'))
  expect((await kube.delete(`${path}/kept`, options)).code).toBe(code)
  expect((await kube.get(`${path}/kept`)).code).toBe(200)
})

test('A deletion with matching preconditions is carried out', async () => {
  const { metadata } = await expecting(201, kube.create(path, configMap('right')))
  const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion }
  expect(await kube.delete(`${path}/right`, { preconditions })).toMatchObject({ code: 200 })
  expect((await kube.get(`${path}/right`)).code).toBe(404)
})

test('A dry run deletes nothing', async () => {
  await kube.create(path, configMap('dry'))
  expect((await kube.delete(`${path}/dry`, { dryRun: ['All'] })).code).toBe(200)
  expect((await kube.get(`${path}/dry`)).code).toBe(200)
})

test.each([
  ['Foreground', 'foregroundDeletion'],
  ['Orphan', 'orphan'],
])(
  'A %s deletion waits for the garbage collector by the finalizer %s',
  async (propagationPolicy, finalizer) => {
    const name = propagationPolicy.toLowerCase()
    // A finalizer of ours keeps it from going before we have looked.
    await kube.create(path, configMap(name, {}, { finalizers: ['example.com/hold'] }))
    const { metadata } = await expecting(200, kube.delete(`${path}/${name}`, { propagationPolicy }))
    expect(metadata['finalizers']).toEqual(expect.arrayContaining([finalizer, 'example.com/hold']))
  },
)

test('A collection is deleted by its selector', async () => {
  for (const name of ['one', 'two']) await kube.create(path, configMap(name, {}, { labels: { batch: 'x' } }))
  await kube.create(path, configMap('three', {}, { labels: { batch: 'y' } }))
  const deleted = await kube.delete(`${path}?labelSelector=batch%3Dx`)
  expect(deleted.code).toBe(200)
  expect(namesIn(deleted)).toEqual(['one', 'two'])
  expect(namesIn(await kube.get(`${path}?labelSelector=batch`))).toEqual(['three'])
})

test('A terminating namespace takes no new objects', async () => {
  const doomed = await kube.namespace()
  await kube.create(
    `/api/v1/namespaces/${doomed}/configmaps`,
    configMap('a', {}, { finalizers: ['example.com/hold'] }),
  )
  const answer = await kube.delete(`/api/v1/namespaces/${doomed}`)
  expect(answer).toMatchObject({ code: 200, body: { status: { phase: 'Terminating' } } })
  const refused = await kube.create(`/api/v1/namespaces/${doomed}/configmaps`, configMap('b'))
  expect(refused).toMatchObject({
    code: 403,
    body: { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
  })
  expect(messageOf(refused)).toContain('because it is being terminated')
  const held = `/api/v1/namespaces/${doomed}/configmaps/a`
  await kube.patch('merge', held, { metadata: { finalizers: null } })
})

test('The namespaces of the system may not be deleted', async () => {
  expect(await kube.delete('/api/v1/namespaces/default')).toMatchObject({
    code: 403,
    body: { message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
  })
})
