import { beforeEach, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, messageOf } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let namespace = ''
let path = ''

beforeEach(async () => {
  namespace = await kube.namespace()
  path = `/api/v1/namespaces/${namespace}/configmaps`
})

test('An update replaces the whole object', async () => {
  await kube.create(path, configMap('whole', { a: '1' }, { labels: { x: 'y' } }))
  const updated = await expecting(200, kube.replace(`${path}/whole`, configMap('whole', { b: '2' })))
  expect(updated.data).toEqual({ b: '2' })
  expect(updated.metadata).not.toHaveProperty('labels')
})

test('An update of an old version is a conflict', async () => {
  const first = await expecting(201, kube.create(path, configMap('old', { a: '1' })))
  await expecting(200, kube.replace(`${path}/old`, { ...first, data: { a: '2' } }))
  const answer = await kube.replace(`${path}/old`, { ...first, data: { a: '3' } })
  expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } })
  expect(messageOf(answer)).toBe(
    'Operation cannot be fulfilled on configmaps "old": the object has been modified; please apply your changes to the latest version and try again',
  )
})

test('An update with another uid is a conflict', async () => {
  await kube.create(path, configMap('uid'))
  const answer = await kube.replace(`${path}/uid`, configMap('uid', {}, { uid: 'another' }))
  expect(answer.code).toBe(409)
  expect(messageOf(answer)).toContain('UID in precondition: another, UID in object meta:')
})

test('An identical write makes no new version', async () => {
  const first = await expecting(201, kube.create(path, configMap('same', { a: '1' })))
  const second = await expecting(200, kube.replace(`${path}/same`, first))
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
})

test('The uid and creation time cannot be changed', async () => {
  const first = await expecting(201, kube.create(path, configMap('born')))
  const metadata = { ...first.metadata, creationTimestamp: '2000-01-01T00:00:00Z', generation: 7 }
  const second = await expecting(200, kube.replace(`${path}/born`, { ...first, metadata, data: { a: '1' } }))
  expect(second.metadata['creationTimestamp']).toBe(first.metadata['creationTimestamp'])
  expect(second.metadata.generation).toBe(first.metadata.generation)
})

test('The name in the object must be that in the path', async () => {
  await kube.create(path, configMap('a'))
  expect(await kube.replace(`${path}/a`, configMap('b'))).toMatchObject({
    code: 400,
    body: { message: 'the name of the object (b) does not match the name on the URL (a)' },
  })
})

test('An invalid resource version is refused', async () => {
  await kube.create(path, configMap('a'))
  expect(await kube.replace(`${path}/a`, configMap('a', {}, { resourceVersion: 'abc' }))).toMatchObject({
    code: 500,
    body: { message: 'strconv.ParseUint: parsing "abc": invalid syntax' },
  })
})

test('An update creates a Lease that does not exist, and no ConfigMap', async () => {
  expect(await kube.replace(`${path}/nope`, configMap('nope'))).toMatchObject({ code: 404 })
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'me' },
  }
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
  expect(await kube.replace(`${leases}/l`, lease)).toMatchObject({ code: 201 })
})

test('An update of a Lease needs a resource version', async () => {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
  const body = { metadata: { name: 'versioned' }, spec: { holderIdentity: 'me' } }
  await expecting(201, kube.create(leases, body))
  const answer = await kube.replace(`${leases}/versioned`, body)
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(
    'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  )
})

test('An immutable object cannot be changed', async () => {
  await kube.create(path, { ...configMap('fixed', { a: '1' }), immutable: true })
  const answer = await kube.patch('merge', `${path}/fixed`, { data: { a: '2' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('data: Forbidden: field is immutable when `immutable` is set')
})

test('A generation counts changes of the spec, not of labels or status', async () => {
  const ingresses = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`
  const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } }
  const created = await expecting(201, kube.create(ingresses, { metadata: { name: 'g' }, spec }))
  expect(created.metadata.generation).toBe(1)
  const patched = (sub: string, patch: object) =>
    expecting(200, kube.patch('merge', `${ingresses}/g${sub}`, patch))
  const labelled = await patched('', { metadata: { labels: { a: 'b' } } })
  expect(labelled.metadata.generation).toBe(1)
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
  expect((await patched('/status', { status })).metadata.generation).toBe(1)
  expect((await patched('', { spec: { ingressClassName: 'x' } })).metadata.generation).toBe(2)
})

test('A dry run of an update changes nothing', async () => {
  await kube.create(path, configMap('dry', { a: '1' }))
  expect(await kube.replace(`${path}/dry?dryRun=All`, configMap('dry', { a: '2' }))).toMatchObject({
    code: 200,
    body: { data: { a: '2' } },
  })
  expect(await kube.get(`${path}/dry`)).toMatchObject({ body: { data: { a: '1' } } })
})
