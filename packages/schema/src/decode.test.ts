import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode, decodeRequest, strictDecodingError, strictProblem } from './decode.ts'
import { parseJson } from './json-text.ts'
import { loadKubernetesSchemas } from './kubernetes.ts'
import answers from './recorded-responses/decode.json' with { type: 'json' }
import objects from './recorded-responses/objects.json' with { type: 'json' }
import type { Schema } from './schema.ts'

const schemas = loadKubernetesSchemas()

function schemaOf(apiVersion: string, kind: string): Schema {
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  const schema = schemas.lookup({ group, version, kind })
  if (schema === undefined) throw new Error(`no schema for ${apiVersion} ${kind}`)
  return schema
}

const isBuiltIn = (kind: { group: string; version: string; kind: string }) =>
  schemas.lookup(kind) !== undefined

test.each(answers)(
  'A request for a built-in kind is decoded as kube-apiserver decodes it: $body',
  ({ kind, body, message }) => {
    const expected = { group: '', version: 'v1', kind }
    const decoded = decodeRequest(body, expected, schemaOf('v1', kind), isBuiltIn)
    if ('error' in decoded) expect(decoded.error).toBe(message)
    else if (decoded.strict.length > 0)
      expect(
        `${kind} in version "v1" cannot be handled as a ${kind}: ${strictDecodingError(decoded.strict)}`,
      ).toBe(message)
    else expect(message).toBeUndefined()
  },
)

test('A request for a built-in kind gets its kind and version even where the body has none', () => {
  const decoded = decodeRequest(
    '{"metadata":{"name":"a"}}',
    { group: 'apps', version: 'v1', kind: 'Deployment' },
    schemaOf('apps/v1', 'Deployment'),
  )
  expect(decoded).toMatchObject({ object: { apiVersion: 'apps/v1', kind: 'Deployment' } })
})

test('A request for a built-in kind warns of each field that strict validation would refuse', () => {
  expect(strictProblem({ kind: 'unknown', path: 'spec.foo' })).toBe('unknown field "spec.foo"')
  expect(strictProblem({ kind: 'duplicate', path: 'spec.a"b' })).toBe('duplicate field "spec.a\\"b"')
})

test.each(
  objects.map((object) => [`${object.apiVersion} ${object.kind} ${object.metadata?.name}`, object] as const),
)(
  'An object that kube-apiserver wrote comes out of decoding as it went in, in the same order: %s',
  (_, object) => {
    const text = JSON.stringify(object)
    const decoded = decode(schemaOf(object.apiVersion, object.kind), parseJson(text))
    expect(decoded).toMatchObject({ strict: [] })
    expect('object' in decoded && JSON.stringify(decoded.object)).toBe(text)
  },
)

const service = schemaOf('v1', 'Service')
const cases: [name: string, body: unknown, expected: unknown][] = [
  [
    'is written where its struct always is',
    { kind: 'Service' },
    { kind: 'Service', metadata: {}, spec: {}, status: { loadBalancer: {} } },
  ],
  [
    'is gone where its tag leaves it out',
    { spec: { ports: [], selector: {}, type: '', healthCheckNodePort: 0 } },
    { metadata: {}, spec: {}, status: { loadBalancer: {} } },
  ],
  [
    'stays behind a pointer',
    { spec: { allocateLoadBalancerNodePorts: false } },
    { metadata: {}, spec: { allocateLoadBalancerNodePorts: false }, status: { loadBalancer: {} } },
  ],
  [
    'stands for null in maps and lists',
    { metadata: { labels: { a: null }, finalizers: [null] } },
    { metadata: { labels: { a: '' }, finalizers: [''] }, spec: {}, status: { loadBalancer: {} } },
  ],
  [
    'is zero for a required port',
    { spec: { ports: [{}] } },
    { metadata: {}, spec: { ports: [{ port: 0, targetPort: 0 }] }, status: { loadBalancer: {} } },
  ],
]
test.each(cases)('An empty value %s', (_, body, expected) => {
  expect(decode(service, { value: body })).toEqual({ object: expected, strict: [] })
})

test('An empty list without omitempty becomes null, as it does when it comes back from etcd', () => {
  const decoded = decode(schemaOf('rbac.authorization.k8s.io/v1', 'Role'), { value: { rules: [] } })
  expect(decoded).toMatchObject({ object: { rules: null } })
})

test('Decoding a decoded object changes nothing', () => {
  const pod = schemaOf('v1', 'Pod')
  const container = fc.record(
    {
      name: fc.string(),
      command: fc.array(fc.string()),
      env: fc.array(fc.record({ name: fc.string(), value: fc.string() }, { requiredKeys: [] })),
      resources: fc.record(
        { limits: fc.dictionary(fc.string(), fc.constantFrom('1', '1000m', '1024Mi', '0')) },
        { requiredKeys: [] },
      ),
      unknown: fc.anything(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(container), (containers) => {
      const first = decode(pod, { value: { spec: { containers } } })
      if ('error' in first) throw new Error(first.error)
      expect(decode(pod, { value: first.object })).toEqual({ object: first.object, strict: [] })
    }),
  )
})

test('A schema inside a CustomResourceDefinition is decoded leniently, with all that it contains', () => {
  const crd = schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'string', nullable: false, foo: 1 } },
      b: { additionalProperties: true },
    },
  }
  const decoded = decode(crd, {
    value: { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] } },
  })
  expect(decoded).toMatchObject({
    object: {
      spec: {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  a: { type: 'array', items: { type: 'string' } },
                  b: { additionalProperties: true },
                },
              },
            },
          },
        ],
      },
    },
    strict: [],
  })
})
