import { beforeEach, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, messageOf } from './api-verbs.ts'

const server = testedServer()
const kube = new ApiVerbs(server)
let namespace = ''
let path = ''

beforeEach(async () => {
  namespace = await kube.namespace()
  path = `/api/v1/namespaces/${namespace}/configmaps`
})

test('A merge patch sets fields, and null removes them', async () => {
  await kube.create(path, configMap('merge', { a: '1', b: '2' }))
  const patched = await kube.patch('merge', `${path}/merge`, { data: { a: null, c: '3' } })
  expect(patched).toMatchObject({ code: 200, body: { data: { b: '2', c: '3' } } })
})

test('A truncated UTF-8 character in a patch is read as the replacement character', async () => {
  await kube.create(path, configMap('half'))
  const patched = await kube.patch('merge', `${path}/half`, '{"data":{"x":"a\\ud800b"}}')
  expect(patched).toMatchObject({ code: 200, body: { data: { x: 'a\ufffdb' } } })
})

test('A merge patch that changes nothing makes no new version', async () => {
  const { metadata } = await expecting(201, kube.create(path, configMap('idle', { a: '1' })))
  const patched = await expecting(200, kube.patch('merge', `${path}/idle`, { data: { a: '1' } }))
  expect(patched.metadata.resourceVersion).toBe(metadata.resourceVersion)
})

test('A patch may require a resource version', async () => {
  await kube.create(path, configMap('insist'))
  const patch = { metadata: { resourceVersion: '1' }, data: { a: '1' } }
  expect(await kube.patch('merge', `${path}/insist`, patch)).toMatchObject({ code: 409 })
})

test('A patch cannot rename', async () => {
  await kube.create(path, configMap('name'))
  expect(await kube.patch('merge', `${path}/name`, { metadata: { name: 'other' } })).toMatchObject({
    code: 400,
  })
})

test('An object that does not exist cannot be patched', async () => {
  expect(await kube.patch('merge', `${path}/nope`, {})).toMatchObject({ code: 404 })
})

test('A JSON patch adds, replaces, removes, copies, moves and tests', async () => {
  await kube.create(path, configMap('json', { a: '1', b: '2' }))
  const patched = await kube.patch('json', `${path}/json`, [
    { op: 'test', path: '/data/a', value: '1' },
    { op: 'add', path: '/data/c', value: '3' },
    { op: 'replace', path: '/data/b', value: '4' },
    { op: 'copy', from: '/data/b', path: '/data/d' },
    { op: 'move', from: '/data/a', path: '/data/e' },
    { op: 'remove', path: '/data/c' },
  ])
  expect(patched).toMatchObject({ code: 200, body: { data: { b: '4', d: '4', e: '1' } } })
})

test('A JSON patch whose test fails is refused', async () => {
  await kube.create(path, configMap('fails', { a: '1' }))
  const answer = await kube.patch('json', `${path}/fails`, [{ op: 'test', path: '/data/a', value: '2' }])
  expect(answer).toMatchObject({ code: 422, body: { reason: 'Invalid' } })
})

test('A JSON patch cannot remove a field that does not exist', async () => {
  await kube.create(path, configMap('absent', { a: '1' }))
  const answer = await kube.patch('json', `${path}/absent`, [{ op: 'remove', path: '/data/nope' }])
  expect(answer.code).toBe(422)
})

test('A strategic merge patch merges lists by their keys', async () => {
  const services = `/api/v1/namespaces/${namespace}/services`
  const ports = [{ name: 'http', port: 80 }]
  await expecting(201, kube.create(services, { metadata: { name: 'keys' }, spec: { ports } }))
  const patch = { spec: { ports: [{ name: 'https', port: 443 }] } }
  const { spec } = await expecting(200, kube.patch('strategic', `${services}/keys`, patch))
  expect(spec['ports']).toMatchObject([{ port: 443 }, { port: 80 }])
  const removal = { spec: { ports: [{ $patch: 'delete', port: 80 }] } }
  const removed = await expecting(200, kube.patch('strategic', `${services}/keys`, removal))
  expect(removed.spec['ports']).toMatchObject([{ port: 443 }])
})

test('A merge patch replaces lists', async () => {
  const services = `/api/v1/namespaces/${namespace}/services`
  await kube.create(services, { metadata: { name: 'lists' }, spec: { ports: [{ port: 80 }] } })
  const patch = { spec: { ports: [{ port: 443 }] } }
  const { spec } = await expecting(200, kube.patch('merge', `${services}/lists`, patch))
  expect(spec['ports']).toMatchObject([{ port: 443 }])
})

test('A patch of no known type is refused with 415', async () => {
  const asked = {
    method: 'PATCH',
    path: `${path}/any`,
    body: '{}',
    headers: { 'content-type': 'application/json' },
  }
  expect(await server.ask(asked)).toMatchObject({ code: 415, body: { reason: 'UnsupportedMediaType' } })
})

test('A patch that makes the object invalid is refused', async () => {
  await kube.create(path, configMap('spoilt'))
  const merged = await kube.patch('merge', `${path}/spoilt`, { data: 'x' })
  expect(merged.code).toBe(422)
  expect(messageOf(merged)).toContain('cannot unmarshal string into Go struct field')
  const strategic = await kube.patch('strategic', `${path}/spoilt`, { data: { a: 7 } })
  expect(strategic.code).toBe(422)
  expect(messageOf(strategic)).toContain(
    'Invalid value: "map[data:map[a:7]]": cannot convert int64 to string',
  )
})

test('The manager of a patch owns what it changed, and the creator the rest', async () => {
  await kube.create(`${path}?fieldManager=creator`, configMap('owned', { a: '1', b: '1' }))
  const patched = await kube.patch('merge', `${path}/owned?fieldManager=patcher`, { data: { b: '2' } })
  expect(patched).toMatchObject({
    body: {
      metadata: {
        managedFields: [
          { manager: 'creator', fieldsV1: { 'f:data': { 'f:a': {} } } },
          { manager: 'patcher', fieldsV1: { 'f:data': { 'f:b': {} } } },
        ],
      },
    },
  })
})

test('A strict patch refuses unknown fields', async () => {
  await kube.create(path, configMap('strict'))
  const answer = await kube.patch('merge', `${path}/strict?fieldValidation=Strict`, { foo: 1 })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('unknown field "foo"')
})

test('Only an apply may be forced', async () => {
  await kube.create(path, configMap('force'))
  expect(await kube.patch('merge', `${path}/force?force=true`, {})).toMatchObject({ code: 422 })
})

test('Bytes that are null are written each time and read as absent, so that an empty patch is a write', async () => {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  const made = await expecting(201, kube.create(secrets, { metadata: { name: 'a' }, data: { a: '' } }))
  const write = async (patch: object[]) => {
    const { data, metadata } = await expecting(200, kube.patch('json', `${secrets}/a`, patch))
    expect(data).toEqual({ a: '' })
    // Until its cache has seen the last write, the real server compares with the bytes in etcd, where null is still null.
    await expecting(200, kube.get(`${secrets}/a?resourceVersion=${metadata.resourceVersion}`))
    return metadata.resourceVersion
  }
  const toNull = [{ op: 'replace', path: '/data/a', value: null }]
  const versions = [made.metadata.resourceVersion]
  for (const patch of [toNull, toNull, [], []]) versions.push(await write(patch))
  expect(new Set(versions).size).toBe(4)
  expect(versions.at(-1)).toBe(versions.at(-2))
})

test.each([
  ['configmaps', 'data', 200],
  ['configmaps', 'binaryData', 422],
  ['secrets', 'data', 422],
])('A patch of immutable %s with an empty map for no %s is answered with %i', async (plural, field, code) => {
  const collection = `/api/v1/namespaces/${namespace}/${plural}`
  const { metadata } = await expecting(
    201,
    kube.create(collection, { metadata: { generateName: 'immutable-' }, immutable: true }),
  )
  const object = `${collection}/${metadata.name}`
  expect((await kube.patch('merge', object, { [field]: {} })).code).toBe(code)
  const applied = {
    apiVersion: 'v1',
    kind: plural === 'secrets' ? 'Secret' : 'ConfigMap',
    metadata: { name: metadata.name },
    immutable: true,
    [field]: {},
  }
  expect((await kube.apply(object, applied)).code).toBe(code)
})
