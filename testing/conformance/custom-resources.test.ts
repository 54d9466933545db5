import { beforeAll, describe, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable, eventually, expecting, messageOf, unique } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
const group = `${unique('g')}.example.com`
const type = { apiVersion: `${group}/v1`, kind: 'Octopus' }
const octopus = (name: string, spec?: unknown, more: object = {}) => ({
  ...type,
  metadata: { name },
  ...(spec !== undefined && { spec }),
  ...more,
})
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let path = ''

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `octopi.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'octopi', singular: 'octopus', kind: 'Octopus', shortNames: [unique('oc')] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [
          { name: 'Arms', type: 'integer', jsonPath: '.spec.arms' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['color'],
                properties: {
                  color: { type: 'string', enum: ['red', 'blue'] },
                  arms: { type: 'integer', minimum: 1, default: 8 },
                  replicas: { type: 'integer' },
                  name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
                  sea: {
                    type: 'string',
                    'x-kubernetes-validations': [
                      { rule: 'self == oldSelf', message: 'an octopus stays in its sea' },
                    ],
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  port: { 'x-kubernetes-int-or-string': true },
                },
                'x-kubernetes-validations': [
                  {
                    rule: "self.color != 'red' || self.arms >= 4",
                    message: 'a red one has at least four arms',
                  },
                ],
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}

beforeAll(async () => {
  path = (await kube.define(definition)).collection
})

test('A definition is established, and its names accepted', async () => {
  await eventually(async () => {
    const { body } = await kube.get(`${definitions}/octopi.${group}`)
    const { conditions = [] } =
      (body as { status?: { conditions?: { type: string; status: string }[] } }).status ?? {}
    return ['NamesAccepted', 'Established'].every((type) =>
      conditions.some((condition) => condition.type === type && condition.status === 'True'),
    )
  })
})

test('A defined kind is in discovery', async () => {
  expect(await kube.get(`/apis/${group}/v1`)).toMatchObject({
    code: 200,
    body: { kind: 'APIResourceList', groupVersion: `${group}/v1` },
  })
  expect(await kube.get(`/apis/${group}`)).toMatchObject({
    body: { kind: 'APIGroup', preferredVersion: { version: 'v1' } },
  })
})

test('Unknown fields are pruned with a warning, and defaults filled in', async () => {
  const answer = await kube.create(path, octopus('pruned', { color: 'blue', odd: 1 }))
  expect(answer).toMatchObject({ code: 201, body: { spec: { color: 'blue', arms: 8 } } })
  expect((answer.body as { spec: object }).spec).not.toHaveProperty('odd')
  expect(answer.warnings).toEqual(['299 - "unknown field \\"spec.odd\\""'])
})

test('Unknown fields are preserved where the schema says so', async () => {
  const free = { any: { thing: [1, 'x', null] } }
  expect(await kube.create(path, octopus('free', { color: 'blue', free }))).toMatchObject({
    code: 201,
    body: { spec: { free } },
  })
})

test('A status is dropped at creation, and changes through its subresource alone', async () => {
  const created = await kube.create(path, octopus('status', { color: 'blue' }, { status: { replicas: 1 } }))
  expect(created.body).not.toHaveProperty('status')
  const patch = { spec: { arms: 3 }, status: { replicas: 2 } }
  expect(await kube.patch('merge', `${path}/status/status`, patch)).toMatchObject({
    code: 200,
    body: { spec: { arms: 8 }, status: { replicas: 2 }, metadata: { generation: 1 } },
  })
  expect(await kube.patch('merge', `${path}/status`, { ...patch, status: { replicas: 9 } })).toMatchObject({
    code: 200,
    body: { spec: { arms: 3 }, status: { replicas: 2 }, metadata: { generation: 2 } },
  })
})

describe('Violations of the schema', () => {
  test.each([
    ['a missing field', {}, 'spec.color: Required value'],
    [
      'a value that is not offered',
      { color: 'green' },
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    ],
    [
      'a number too low',
      { color: 'blue', arms: 0 },
      'spec.arms: Invalid value: 0: spec.arms in body should be greater than or equal to 1',
    ],
    [
      'the wrong type',
      { color: 'blue', arms: 'x' },
      'spec.arms: Invalid value: "string": spec.arms in body must be of type integer: "string"',
    ],
    [
      'a pattern that does not match',
      { color: 'blue', name: 'A' },
      'spec.name: Invalid value: "A": spec.name in body should match \'^[a-z]+$\'',
    ],
    [
      'a text too long',
      { color: 'blue', name: 'abcdef' },
      'spec.name: Too long: may not be more than 5 bytes',
    ],
    [
      'neither integer nor string',
      { color: 'blue', port: true },
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
    ['a broken rule', { color: 'red', arms: 2 }, 'spec: Invalid value: a red one has at least four arms'],
  ])('A resource with %s is refused in the words of Kubernetes', async (_, spec, message) => {
    const answer = await kube.create(path, octopus('bad', spec))
    expect(answer.code).toBe(422)
    expect(messageOf(answer).replace(/Invalid value: (?:\{.*?\}|"object"): /, 'Invalid value: ')).toContain(
      message,
    )
  })
})

test('A rule may compare with the old value', async () => {
  await expecting(201, kube.create(path, octopus('sea', { color: 'blue', sea: 'north' })))
  const answer = await kube.patch('merge', `${path}/sea`, { spec: { sea: 'south' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('an octopus stays in its sea')
})

test('An invalid value that does not change passes with a change of another field', async () => {
  const loose = structuredClone(definition) as typeof definition & { spec: { versions: unknown[] } }
  const ratcheted = `${unique('g')}.example.com`
  loose.metadata.name = `octopi.${ratcheted}`
  loose.spec.group = ratcheted
  loose.spec.names.shortNames = []
  const { collection } = await kube.define(loose)
  const of = { apiVersion: `${ratcheted}/v1`, kind: 'Octopus' }
  await expecting(
    201,
    kube.create(collection, { ...of, metadata: { name: 'a' }, spec: { color: 'blue', arms: 2 } }),
  )
  const tighter = [
    {
      op: 'replace',
      path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/arms/minimum',
      value: 4,
    },
  ]
  await expecting(200, kube.patch('json', `${definitions}/octopi.${ratcheted}`, tighter))
  await eventually(async () => {
    const fresh = { ...of, metadata: { name: 'b' }, spec: { color: 'blue', arms: 2 } }
    return (await kube.create(`${collection}?dryRun=All`, fresh)).code === 422
  })
  expect(await kube.patch('merge', `${collection}/a`, { spec: { replicas: 3 } })).toMatchObject({ code: 200 })
  expect(await kube.patch('merge', `${collection}/a`, { spec: { arms: 3 } })).toMatchObject({ code: 422 })
})

test('A custom resource must have apiVersion and kind', async () => {
  const unsaid = await kube.create(path, { metadata: { name: 'x' }, spec: { color: 'blue' } })
  expect(unsaid).toMatchObject({ code: 400 })
  const another = { ...octopus('x', { color: 'blue' }), kind: 'Squid' }
  expect(await kube.create(path, another)).toMatchObject({ code: 422 })
})

test('An update of a custom resource needs a resource version', async () => {
  await kube.create(path, octopus('version', { color: 'blue' }))
  const answer = await kube.replace(`${path}/version`, octopus('version', { color: 'red' }))
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(
    'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  )
})

test('A custom resource has no strategic merge patch', async () => {
  await kube.create(path, octopus('strategic', { color: 'blue' }))
  expect(await kube.patch('strategic', `${path}/strategic`, {})).toMatchObject({ code: 415 })
})

test('The scale of a custom resource can be read and set', async () => {
  await kube.create(path, octopus('scaled', { color: 'blue', replicas: 1 }))
  expect(await kube.get(`${path}/scaled/scale`)).toMatchObject({
    code: 200,
    body: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } },
  })
  expect(await kube.patch('merge', `${path}/scaled/scale`, { spec: { replicas: 5 } })).toMatchObject({
    code: 200,
    body: { spec: { replicas: 5 } },
  })
  expect(await kube.get(`${path}/scaled`)).toMatchObject({ body: { spec: { replicas: 5 } } })
})

test('The table of a custom resource has the columns of its definition', async () => {
  await kube.create(path, octopus('tabled', { color: 'blue' }))
  const answer = await kube.get(`${path}/tabled`, asTable)
  expect(answer).toMatchObject({
    code: 200,
    body: { kind: 'Table', columnDefinitions: [{ name: 'Name' }, { name: 'Arms' }, { name: 'Age' }] },
  })
  const { rows } = answer.body as { rows: { cells: unknown[] }[] }
  expect(rows[0]?.cells.slice(0, 2)).toEqual(['tabled', 8])
})

test('A custom resource can be selected by the selectable fields of its definition', async () => {
  await kube.create(path, octopus('colored', { color: 'red' }))
  const answer = await kube.get(`${path}?fieldSelector=spec.color%3Dred`)
  expect(JSON.stringify(answer.body)).toContain('"colored"')
  expect(await kube.get(`${path}?fieldSelector=spec.arms%3D8`)).toMatchObject({ code: 400 })
})

test('The scope of a definition cannot change', async () => {
  const answer = await kube.patch('merge', `${definitions}/octopi.${group}`, { spec: { scope: 'Cluster' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('field is immutable')
})

test('A deleted definition takes its objects with it', async () => {
  const short = structuredClone(definition)
  const dying = `${unique('g')}.example.com`
  short.metadata.name = `octopi.${dying}`
  short.spec.group = dying
  short.spec.names.shortNames = []
  const { collection } = await kube.define(short)
  await kube.create(collection, {
    apiVersion: `${dying}/v1`,
    kind: 'Octopus',
    metadata: { name: 'a' },
    spec: { color: 'blue' },
  })
  expect((await kube.delete(`${definitions}/octopi.${dying}`)).code).toBe(200)
  await eventually(async () => (await kube.get(collection)).code === 404)
})

test('An unchanged value that a new rule would refuse passes with a warning', async () => {
  const schema = (rules: object[]) => ({
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { depth: { type: 'integer', 'x-kubernetes-validations': rules } } },
    },
  })
  const versionWith = (rules: object[]) => ({
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema(rules) },
  })
  const names = { plural: 'clams', singular: 'clam', kind: 'Clam' }
  const clams = {
    ...definition,
    metadata: { name: `clams.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [versionWith([])] },
  }
  const { collection } = await kube.define(clams)
  const clam = (name: string) => ({
    apiVersion: `${group}/v1`,
    kind: 'Clam',
    metadata: { name },
    spec: { depth: 9 },
  })
  await expecting(201, kube.create(collection, clam('deep')))
  const rule = { rule: 'self < 5', message: 'a clam lives in shallow water' }
  await kube.patch('merge', `${definitions}/clams.${group}`, { spec: { versions: [versionWith([rule])] } })
  await eventually(async () => (await kube.create(`${collection}?dryRun=All`, clam('other'))).code === 422)

  const warnings = ['299 - "spec.depth: Invalid value: 9: a clam lives in shallow water"']
  const labelled = await kube.patch('merge', `${collection}/deep`, { metadata: { labels: { app: 'x' } } })
  expect(labelled).toMatchObject({ code: 200, warnings })
  const refused = await kube.patch('merge', `${collection}/deep`, { metadata: { labels: { 'a b': 'x' } } })
  expect(refused).toMatchObject({ code: 422, warnings })
  const deeper = await kube.patch('merge', `${collection}/deep`, { spec: { depth: 10 } })
  expect(deeper).toMatchObject({ code: 422, warnings: [] })
})
