import { loadKubernetesSchemas } from '@portcullis/schema'
import { beforeEach, expect, it } from 'vitest'
import { resourcesOf } from '../crd/custom-resource.ts'
import type { Definition } from '../crd/definition.ts'
import { builtInResources } from '../kinds/built-in.ts'
import type { Route } from '../server/api-server.ts'
import { ResourceTable } from '../server/resource-table.ts'
import type { OpenApiDocument } from './document.ts'
import type { OpenApiDocumentV2 } from './document-v2.ts'
import { openApiRoute } from './openapi-route.ts'

const ingress = 'io.k8s.api.networking.v1.Ingress'
const octopus = 'com.example.sea.v1.Octopus'

let table: ResourceTable
let route: Route

beforeEach(() => {
  const schemas = loadKubernetesSchemas()
  table = new ResourceTable(
    builtInResources((group, version, kind) => schemas.lookup({ group, version, kind }) ?? {}),
  )
  route = openApiRoute(table, () => new Date('2026-01-01T00:00:00Z'))
})

function get(url: string, accept?: string) {
  const { pathname: path, searchParams: query } = new URL(url, 'https://sandbox')
  const user = { username: 'me', uid: '', groups: [] }
  return route({ method: 'GET', path, query, headers: { accept }, body: '', user })
}

function documentText(path: string, accept?: string): string {
  const answer = get(path, accept)
  if (answer === undefined || !('text' in answer)) throw new Error(`No text at ${path}`)
  return answer.text.toString()
}

const v3 = (path: string) => JSON.parse(documentText(`/openapi/v3/${path}`)) as OpenApiDocument

function index(): Record<string, { serverRelativeURL: string }> {
  const answer = get('/openapi/v3')
  if (answer === undefined || !('body' in answer)) throw new Error('No index')
  return (answer.body as { paths: Record<string, { serverRelativeURL: string }> }).paths
}

function octopusOf(spec: object): Definition {
  const openAPIV3Schema = {
    type: 'object',
    description: 'An animal with arms.',
    properties: { spec },
  } as const
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'octopi.sea.example.com' },
    spec: {
      group: 'sea.example.com',
      scope: 'Namespaced',
      names: { plural: 'octopi', kind: 'Octopus' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

const spec = {
  type: 'object',
  required: ['arms'],
  properties: {
    arms: { type: 'integer', description: 'How many it has.' },
    den: { 'x-kubernetes-int-or-string': true },
    mood: { type: 'string', nullable: true },
  },
}

it('The index of OpenAPI v3 names a document for each version of each group, and its hash', () => {
  expect(Object.keys(index())).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']))
  expect(index()['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/)
})

it('The index of OpenAPI v3 changes where a CRD is added, changed or removed, and nowhere else', () => {
  const before = index()
  table.replaceCustom(resourcesOf(octopusOf(spec)))
  const first = index()
  table.replaceCustom(resourcesOf(octopusOf({ type: 'object' })))
  const second = index()
  const path = 'apis/sea.example.com/v1'
  expect(first[path]).not.toEqual(second[path])
  expect({ ...second, [path]: undefined }).toEqual({ ...before, [path]: undefined })
  table.replaceCustom([])
  expect(index()).toEqual(before)
})

it('A document of OpenAPI v3 has every schema that it refers to', () => {
  for (const path of Object.keys(index())) {
    const { components } = v3(path)
    const references = JSON.stringify(v3(path)).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    const missing = [...references].map(([, name = '']) => name).filter((name) => !components.schemas[name])
    expect(missing, path).toEqual([])
  }
})

it('A document of OpenAPI v3 says of which kind a schema is', () => {
  expect(v3('apis/networking.k8s.io/v1').components.schemas[ingress]).toMatchObject({
    properties: { spec: { allOf: [{ $ref: `#/components/schemas/${ingress}Spec` }] } },
    'x-kubernetes-group-version-kind': [{ group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' }],
  })
})

it('A document of OpenAPI v3 describes fields in the words of the installed types', () => {
  const { schemas } = v3('apis/networking.k8s.io/v1').components
  expect(schemas[`${ingress}Spec`]).toMatchObject({
    properties: { rules: { description: expect.stringMatching(/^rules /) } },
  })
})

it('A document of OpenAPI v3 leaves out what only the sandbox knows of Go', () => {
  expect(documentText('/openapi/v3/api/v1')).not.toContain('x-go')
})

it('A document of OpenAPI v3 shows kubectl that the server validates fields', () => {
  const path = '/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses/{name}'
  expect(v3('apis/networking.k8s.io/v1').paths[path]).toMatchObject({
    patch: {
      operationId: 'patchNetworkingV1NamespacedIngress',
      parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
        name,
        in: 'query',
      })),
      'x-kubernetes-group-version-kind': { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
    },
  })
})

it('A document of OpenAPI v3 describes a custom resource in the words of its CRD', () => {
  table.replaceCustom(resourcesOf(octopusOf(spec)))
  const { schemas } = v3('apis/sea.example.com/v1').components
  expect(schemas[octopus]).toMatchObject({
    description: 'An animal with arms.',
    properties: {
      metadata: {
        allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
      },
      spec: {
        properties: {
          arms: { type: 'integer', description: 'How many it has.' },
          den: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        },
      },
    },
    'x-kubernetes-group-version-kind': [{ group: 'sea.example.com', version: 'v1', kind: 'Octopus' }],
  })
  expect(schemas[`${octopus}List`]).toMatchObject({ properties: { items: { type: 'array' } } })
})

it('A document of OpenAPI v3 may be cached when requested by hash, and redirects once the hash has changed', () => {
  const url = index()['api/v1']?.serverRelativeURL ?? ''
  const expires = 'Fri, 01 Jan 2027 00:00:00 GMT'
  expect(get(url)).toMatchObject({ code: 200, headers: { 'cache-control': 'public, immutable', expires } })
  expect(get('/openapi/v3/api/v1?hash=OLD')).toMatchObject({ code: 301, headers: { location: url } })
})

it('A document of OpenAPI v3 is 404 for a version that is not served', () => {
  expect(get('/openapi/v3/apis/sea.example.com/v1')).toBeUndefined()
})

const v2 = () => JSON.parse(documentText('/openapi/v2', 'application/json')) as OpenApiDocumentV2

it('The document of OpenAPI v2 has everything in one document, and nothing that v2 cannot express', () => {
  table.replaceCustom(resourcesOf(octopusOf(spec)))
  const { definitions, paths } = v2()
  expect(definitions[ingress]).toMatchObject({
    properties: { spec: { $ref: `#/definitions/${ingress}Spec` } },
  })
  expect(definitions[octopus]).toMatchObject({
    properties: { spec: { properties: { den: { 'x-kubernetes-int-or-string': true }, mood: {} } } },
  })
  expect(JSON.stringify({ definitions, paths })).not.toMatch(/"(oneOf|anyOf|nullable)":|#\/components/)
})

it('The document of OpenAPI v2 is protobuf for clients that accept nothing else', () => {
  const answer = get('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf')
  if (answer === undefined || !('text' in answer) || typeof answer.text === 'string')
    throw new Error('No bytes')
  expect(answer.contentType).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
  // Field 1, three bytes: `swagger: "2.0"`.
  expect(answer.text.subarray(0, 5).toString('latin1')).toBe('\n\x032.0')
  expect(answer.text.includes(`#/definitions/${ingress}Spec`)).toBe(true)
})
