import { expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, messageOf } from './api-verbs.ts'

const server = testedServer()
const kube = new ApiVerbs(server)

test('A request without a valid token gets 401 and nothing else', async () => {
  const asked = { method: 'GET', path: '/api/v1/namespaces', headers: { authorization: 'Bearer wrong' } }
  expect(await server.ask(asked)).toMatchObject({
    code: 401,
    body: { kind: 'Status', reason: 'Unauthorized' },
  })
})

test('A path that belongs to no API is a 404 without a Status', async () => {
  expect(await kube.get('/apis/nope.example.com/v1/things')).toMatchObject({
    code: 404,
    body: '404 page not found\n',
  })
})

test('A resource that does not exist is a NotFound', async () => {
  const answer = await kube.get('/api/v1/namespaces/default/things')
  expect(answer).toMatchObject({ code: 404, body: { reason: 'NotFound', details: {} } })
  expect(messageOf(answer)).toBe('the server could not find the requested resource')
})

test('A subresource that a kind does not have is not found', async () => {
  expect(await kube.get('/api/v1/namespaces/default/configmaps/a/status')).toMatchObject({ code: 404 })
})

test('A verb that a path does not support is not allowed', async () => {
  const path = '/api/v1/namespaces/default/configmaps'
  expect(await kube.replace(path, configMap('a'))).toMatchObject({ code: 405 })
  expect(await kube.create(`${path}/a`, configMap('a'))).toMatchObject({ code: 405 })
})

test('A body in an unknown format is refused with 415', async () => {
  const path = '/api/v1/namespaces/default/configmaps'
  const headers = { 'content-type': 'text/plain' }
  expect(await server.ask({ method: 'POST', path, body: 'x', headers })).toMatchObject({
    code: 415,
    body: { reason: 'UnsupportedMediaType' },
  })
})

test('A response in an unknown format is refused with 406', async () => {
  const answer = await kube.get('/api/v1/namespaces/default/configmaps', { accept: 'text/plain' })
  expect(answer).toMatchObject({ code: 406, body: { reason: 'NotAcceptable' } })
})

test('An object may be sent as YAML', async () => {
  const namespace = await kube.namespace()
  const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n'
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const answer = await server.ask({
    method: 'POST',
    path,
    body,
    headers: { 'content-type': 'application/yaml' },
  })
  expect(answer).toMatchObject({ code: 201, body: { data: { a: '1' } } })
})

test('The health endpoints answer with one word', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) {
    expect(await kube.get(path)).toMatchObject({ code: 200, body: 'ok' })
  }
})

test('The version is that of Kubernetes 1.36', async () => {
  const answer = await kube.get('/version')
  expect(answer).toMatchObject({ code: 200, body: { major: '1', minor: '36' } })
})

test('A client may ask who it is', async () => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  expect(await kube.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', body)).toMatchObject({
    code: 201,
    body: { status: { userInfo: { username: 'admin' } } },
  })
})

test('A client may ask what it may do', async () => {
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } }
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
  expect(await kube.create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body)).toMatchObject({
    code: 201,
    body: { status: { allowed: true } },
  })
})
