import { beforeEach, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, messageOf, objectIn } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let path = ''

beforeEach(async () => {
  path = `/api/v1/namespaces/${await kube.namespace()}/configmaps`
})

test('A created object gets an identity, a time and a version', async () => {
  const { metadata } = await expecting(201, kube.create(path, configMap('a', { x: '1' })))
  expect(metadata['uid']).toMatch(/^[0-9a-f-]{36}$/)
  expect(metadata['creationTimestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(0)
})

test('An object that exists cannot be created again', async () => {
  await kube.create(path, configMap('twice'))
  const answer = await kube.create(path, configMap('twice'))
  expect(answer).toMatchObject({
    code: 409,
    body: { reason: 'AlreadyExists', details: { name: 'twice', kind: 'configmaps' } },
  })
  expect(messageOf(answer)).toBe('configmaps "twice" already exists')
})

test('The type of an object may be left out', async () => {
  expect(await kube.create(path, { metadata: { name: 'untyped' } })).toMatchObject({
    code: 201,
    body: { apiVersion: 'v1', kind: 'ConfigMap' },
  })
})

test('A name is generated on request, unless one is given', async () => {
  const generated = await expecting(201, kube.create(path, { metadata: { generateName: 'gen-' } }))
  expect(generated.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  const body = { metadata: { generateName: 'gen-', name: 'given' } }
  expect((await expecting(201, kube.create(path, body))).metadata.name).toBe('given')
})

test.each([
  ['no name at all', { metadata: {} }, 422, 'name or generateName is required'],
  [
    'a name with capitals',
    { metadata: { name: 'A' } },
    422,
    'a lowercase RFC 1123 subdomain must consist of',
  ],
  [
    'a label that is none',
    { metadata: { name: 'l', labels: { 'a b': 'c' } } },
    422,
    'metadata.labels: Invalid value: "a b"',
  ],
  [
    'a finalizer that is none',
    { metadata: { name: 'f', finalizers: ['a b/c'] } },
    422,
    'metadata.finalizers: Invalid value',
  ],
  ['a key that is none', { metadata: { name: 'k' }, data: { 'a b': 'c' } }, 422, 'data[a b]: Invalid value'],
  [
    'a value of the wrong type',
    { metadata: { name: 't' }, data: { a: 1 } },
    400,
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'another namespace than the path',
    { metadata: { name: 'n', namespace: 'other' } },
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'a version',
    { metadata: { name: 'v', resourceVersion: '5' } },
    500,
    'resourceVersion should not be set on objects to be created',
  ],
  [
    'another kind than the path',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap',
  ],
  ['half an object', '{"a":', 400, 'unexpected end of JSON input'],
])('An object with %s is refused', async (_, body, code, message) => {
  const answer = await kube.create(path, body)
  expect(answer.code).toBe(code)
  expect(messageOf(answer)).toContain(message)
})

test('Nothing is created in a namespace that does not exist', async () => {
  expect(await kube.create('/api/v1/namespaces/nope/configmaps', configMap('a'))).toMatchObject({
    code: 404,
    body: { message: 'namespaces "nope" not found' },
  })
})

test('A dry run is answered like a creation, and stores nothing', async () => {
  expect(await kube.create(`${path}?dryRun=All`, configMap('dry'))).toMatchObject({
    code: 201,
    body: { metadata: { name: 'dry' } },
  })
  expect(await kube.get(`${path}/dry`)).toMatchObject({ code: 404 })
})

test('Strict validation refuses unknown fields and names them all', async () => {
  const body = { ...configMap('strict', undefined, { bar: 2 }), foo: 1 }
  const answer = await kube.create(`${path}?fieldValidation=Strict`, body)
  expect(answer.code).toBe(400)
  expect(messageOf(answer)).toContain(
    'strict decoding error: unknown field "metadata.bar", unknown field "foo"',
  )
})

test('Unknown fields are dropped with a warning by default', async () => {
  const answer = await kube.create(path, { ...configMap('warn'), foo: 1 })
  expect(answer.code).toBe(201)
  expect(answer.warnings).toEqual(['299 - "unknown field \\"foo\\""'])
  expect(objectIn(answer)).not.toHaveProperty('foo')
})

test('Unknown fields can be ignored', async () => {
  const answer = await kube.create(`${path}?fieldValidation=Ignore`, { ...configMap('ignore'), foo: 1 })
  expect(answer).toMatchObject({ code: 201, warnings: [] })
})

test('A refused request still has its warnings', async () => {
  const answer = await kube.create(path, { ...configMap('A'), foo: 1 })
  expect(answer).toMatchObject({ code: 422, warnings: ['299 - "unknown field \\"foo\\""'] })
})

test('An owner that is named twice counts once, with a warning', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
  const answer = await kube.create(path, configMap('owned', undefined, { ownerReferences: [owner, owner] }))
  expect(answer).toMatchObject({ code: 201, body: { metadata: { ownerReferences: [owner] } } })
  expect(answer.warnings.join()).toContain('.metadata.ownerReferences contains duplicate entries')
})

test('The creator owns the fields that were sent', async () => {
  const { metadata } = await expecting(
    201,
    kube.create(`${path}?fieldManager=me`, configMap('mine', { a: '1' })),
  )
  expect(metadata.managedFields).toMatchObject([
    { manager: 'me', operation: 'Update', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
  ])
})

test('The user agent names the field manager where none is given', async () => {
  const { metadata } = await expecting(201, kube.create(path, configMap('program', { a: '1' })))
  expect(metadata.managedFields).toMatchObject([{ manager: 'suite' }])
})

test('Fields that only the server sets are ignored, and have no owner', async () => {
  const given = { selfLink: '/x', deletionGracePeriodSeconds: 30, deletionTimestamp: '2026-01-01T00:00:00Z' }
  const body = { metadata: { name: 'left-out', labels: { a: 'b' }, ...given } }
  const { metadata } = await expecting(201, kube.create(path, body))
  for (const field of Object.keys(given)) expect(metadata).not.toHaveProperty(field)
  expect(metadata['managedFields']).toMatchObject([
    { fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } } },
  ])
  expect(JSON.stringify(metadata['managedFields'])).not.toContain('f:deletion')
})

test('The generation of a kind without one is what its creator sends, but not negative', async () => {
  const made = await expecting(201, kube.create(path, { metadata: { name: 'counted', generation: 80 } }))
  expect(made.metadata['generation']).toBe(80)
  const refused = await kube.create(path, { metadata: { name: 'counted-down', generation: -1 } })
  expect(refused.code).toBe(422)
  expect(messageOf(refused)).toContain('metadata.generation: Invalid value: -1')
})

test('The zero time of Go is null in any time zone', async () => {
  const events = path.replace('configmaps', 'events')
  const involvedObject = { kind: 'Pod', namespace: path.split('/')[4], name: 'a' }
  const event = (name: string, lastTimestamp: string) => ({
    metadata: { name },
    involvedObject,
    reason: 'R',
    lastTimestamp,
  })
  for (const [name, time] of [
    ['here', '0001-01-01T00:00:00Z'],
    ['east', '0001-01-01T02:00:00+02:00'],
  ] as const) {
    const made = await expecting(201, kube.create(events, event(name, time)))
    expect((made as unknown as { lastTimestamp: unknown }).lastTimestamp).toBeNull()
  }
})

test('A truncated UTF-8 character is read as the replacement character', async () => {
  const body = '{"metadata":{"name":"half"},"data":{"x":"a\\ud800b"}}'
  const made = await expecting(201, kube.create(path, body))
  expect((made as unknown as { data: object }).data).toEqual({ x: 'a\ufffdb' })
})

test('An invalid image name gets no pull policy Always', async () => {
  const deployments = path.replace('/api/v1', '/apis/apps/v1').replace('configmaps', 'deployments')
  const labels = { a: 'b' }
  for (const [name, image, policy] of [
    ['none', '`reboot`', 'IfNotPresent'],
    ['plain', 'router', 'Always'],
    ['capital', 'registry.example:5000/Team/router', 'IfNotPresent'],
    ['nested', 'registry.example:5000/team/router', 'Always'],
    ['tagged', 'registry.example/router:v1', 'IfNotPresent'],
    ['newest', 'localhost/router:latest', 'Always'],
  ] as const) {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image }] } }
    const spec = { replicas: 0, selector: { matchLabels: labels }, template }
    const made = await expecting(201, kube.create(deployments, { metadata: { name }, spec }))
    const [container] = (made as unknown as { spec: typeof spec }).spec.template.spec.containers
    expect(container, image).toMatchObject({ imagePullPolicy: policy })
  }
})

test('The deprecated configuration of a kubelet is dropped from the status of a node', async () => {
  const name = `api-${path.split('/')[4]}`
  const config = { active: { configMap: { namespace: 'a', name: 'b', kubeletConfigKey: 'c' } } }
  const made = await expecting(201, kube.create('/api/v1/nodes', { metadata: { name }, status: { config } }))
  expect(made).not.toHaveProperty('status.config')
  const patched = await kube.patch('merge', `/api/v1/nodes/${name}/status`, { status: { config } })
  expect(patched.code).toBe(200)
  expect(patched.body).not.toHaveProperty('status.config')
  await kube.delete(`/api/v1/nodes/${name}`)
})
