import { beforeEach, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, configMap, expecting, messageOf } from './api-verbs.ts'

const server = testedServer()
const kube = new ApiVerbs(server)
let path = ''

beforeEach(async () => {
  path = `/api/v1/namespaces/${await kube.namespace()}/configmaps`
})

test('An apply creates an object that does not exist', async () => {
  expect(await kube.apply(`${path}/new`, configMap('new', { a: '1' }))).toMatchObject({
    code: 201,
    body: { metadata: { managedFields: [{ manager: 'one', operation: 'Apply' }] } },
  })
})

test('Applying the same again changes nothing', async () => {
  const first = await expecting(201, kube.apply(`${path}/again`, configMap('again', { a: '1' })))
  const second = await expecting(200, kube.apply(`${path}/again`, configMap('again', { a: '1' })))
  expect(second).toEqual(first)
})

test('An apply needs a field manager', async () => {
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const asked = { method: 'PATCH', path: `${path}/who`, body: configMap('who'), headers }
  expect(messageOf(await server.ask(asked))).toContain(
    'fieldManager: Required value: is required for apply patch',
  )
})

test('An apply of a field that another manager owns is a conflict that names that manager', async () => {
  await kube.apply(`${path}/conflict`, configMap('conflict', { a: '1' }))
  const answer = await kube.apply(`${path}/conflict`, configMap('conflict', { a: '2' }), { manager: 'two' })
  expect(answer).toMatchObject({
    code: 409,
    body: {
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
      },
    },
  })
})

test('Two managers may own the same value', async () => {
  await kube.apply(`${path}/shared`, configMap('shared', { a: '1' }))
  const same = configMap('shared', { a: '1' })
  const { metadata } = await expecting(200, kube.apply(`${path}/shared`, same, { manager: 'two' }))
  expect(metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(['one', 'two'])
})

test('A forced apply takes the field over', async () => {
  await kube.apply(`${path}/force`, configMap('force', { a: '1', b: '1' }))
  const options = { manager: 'two', force: true }
  const answer = await kube.apply(`${path}/force`, configMap('force', { a: '2' }), options)
  expect(answer).toMatchObject({ code: 200, body: { data: { a: '2', b: '1' } } })
})

test('A field that its only owner no longer applies is removed', async () => {
  await kube.apply(`${path}/less`, configMap('less', { a: '1', b: '1' }))
  await kube.patch('merge', `${path}/less`, { data: { c: '1' } })
  const answer = await expecting(200, kube.apply(`${path}/less`, configMap('less', { a: '1' })))
  expect(answer.data).toEqual({ a: '1', c: '1' })
})

test('An apply merges lists by their keys', async () => {
  const services = path.replace('configmaps', 'services')
  const service = (...ports: object[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'keys' },
    spec: { ports },
  })
  await expecting(201, kube.apply(`${services}/keys`, service({ name: 'http', port: 80, protocol: 'TCP' })))
  const other = service({ name: 'https', port: 443, protocol: 'TCP' })
  const { spec } = await expecting(200, kube.apply(`${services}/keys`, other, { manager: 'two' }))
  expect(spec['ports']).toMatchObject([{ port: 80 }, { port: 443 }])
})

test('Defaults are filled in, and owned by no manager', async () => {
  const services = path.replace('configmaps', 'services')
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'd' },
    spec: { ports: [{ port: 80 }] },
  }
  const { spec, metadata } = await expecting(201, kube.apply(`${services}/d`, service))
  expect(spec).toMatchObject({ type: 'ClusterIP', sessionAffinity: 'None', ports: [{ targetPort: 80 }] })
  expect(JSON.stringify(metadata.managedFields)).not.toContain('sessionAffinity')
})

test('A field that the kind does not have cannot be applied', async () => {
  const answer = await kube.apply(`${path}/odd`, { ...configMap('odd'), foo: 1 })
  expect(answer.code).toBe(500)
  expect(messageOf(answer)).toContain('.foo: field not declared in schema')
})

test('A value of the wrong type cannot be applied', async () => {
  const answer = await kube.apply(`${path}/odd`, { ...configMap('odd'), data: 'x' })
  expect(answer.code).toBe(500)
  expect(messageOf(answer)).toContain('.data: expected map, got &{x}')
})

test('An apply may be YAML', async () => {
  const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n'
  expect(await kube.apply(`${path}/yaml`, body)).toMatchObject({ code: 201, body: { data: { a: 'b' } } })
})
