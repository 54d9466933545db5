import { builtInResources } from '@portcullis/kube/internal/client/built-in-resources.ts'
import { Discovery } from '@portcullis/kube/internal/client/discovery.ts'
import type { APIResourceList } from 'kubernetes-types/meta/v1'
import { expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())

interface Listed {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
}

async function resourcesAt(path: string): Promise<ReadonlyMap<string, Listed>> {
  const { body } = await kube.get(path)
  return new Map((body as { resources: Listed[] }).resources.map((resource) => [resource.name, resource]))
}

test('The core API has one version', async () => {
  expect(await kube.get('/api')).toMatchObject({ code: 200, body: { kind: 'APIVersions', versions: ['v1'] } })
})

test('The groups that Portcullis needs are listed', async () => {
  const { body } = await kube.get('/apis')
  const groups = (body as { groups: { name: string }[] }).groups.map(({ name }) => name)
  expect(groups).toEqual(
    expect.arrayContaining([
      'apps',
      'networking.k8s.io',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'events.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'apiextensions.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'admissionregistration.k8s.io',
    ]),
  )
})

test.each(builtInResources)('The built-in knowledge of %o is what the server says', async (kind, known) => {
  const { subresources, ...rest } = known
  const found = await new Discovery(async (path) => (await kube.get(path)).body as APIResourceList).find(kind)
  expect(found).toMatchObject(rest)
  expect(found.subresources).toEqual(expect.arrayContaining([...subresources]))
})

test.each([
  ['/api/v1', 'services', { kind: 'Service', namespaced: true, shortNames: ['svc'] }],
  ['/api/v1', 'services/status', { kind: 'Service', verbs: ['get', 'patch', 'update'] }],
  ['/api/v1', 'namespaces', { kind: 'Namespace', namespaced: false, shortNames: ['ns'] }],
  ['/api/v1', 'nodes', { kind: 'Node', namespaced: false, shortNames: ['no'] }],
  ['/api/v1', 'pods', { kind: 'Pod', shortNames: ['po'] }],
  ['/apis/apps/v1', 'deployments', { kind: 'Deployment', shortNames: ['deploy'] }],
  ['/apis/apps/v1', 'deployments/scale', { kind: 'Scale', group: 'autoscaling', version: 'v1' }],
  ['/apis/networking.k8s.io/v1', 'ingresses', { kind: 'Ingress', shortNames: ['ing'] }],
  ['/apis/networking.k8s.io/v1', 'networkpolicies', { kind: 'NetworkPolicy', shortNames: ['netpol'] }],
  [
    '/apis/admissionregistration.k8s.io/v1',
    'validatingadmissionpolicies',
    { kind: 'ValidatingAdmissionPolicy', namespaced: false, categories: ['api-extensions'] },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1',
    'validatingadmissionpolicybindings',
    { kind: 'ValidatingAdmissionPolicyBinding', namespaced: false, categories: ['api-extensions'] },
  ],
  ['/apis/policy/v1', 'poddisruptionbudgets', { kind: 'PodDisruptionBudget', shortNames: ['pdb'] }],
  ['/apis/coordination.k8s.io/v1', 'leases', { kind: 'Lease', namespaced: true }],
])('The resource %s has %s', async (path, name, resource) => {
  expect((await resourcesAt(path)).get(name)).toMatchObject(resource)
})

test('Everything that can be listed can be watched', async () => {
  for (const { name, verbs } of (await resourcesAt('/api/v1')).values()) {
    if (verbs.includes('list') && name !== 'componentstatuses') expect(verbs).toContain('watch')
  }
})

test('Aggregated discovery returns all groups of a root at once', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const answer = await kube.get('/apis', { accept })
  expect(answer.contentType).toBe(accept)
  expect(answer).toMatchObject({ code: 200, body: { kind: 'APIGroupDiscoveryList' } })
})

test('A group lists its versions and the preferred one', async () => {
  expect(await kube.get('/apis/networking.k8s.io')).toMatchObject({
    body: { kind: 'APIGroup', preferredVersion: { groupVersion: 'networking.k8s.io/v1', version: 'v1' } },
  })
})

test('Schemas are served for explain and for validation', async () => {
  expect(await kube.get('/openapi/v3')).toMatchObject({
    code: 200,
    body: { paths: { 'apis/networking.k8s.io/v1': { serverRelativeURL: expect.any(String) } } },
  })
  const { code, body } = await kube.get('/openapi/v3/apis/networking.k8s.io/v1')
  expect(code).toBe(200)
  const { components } = body as { components: { schemas: Record<string, unknown> } }
  expect(Object.keys(components.schemas)).toContain('io.k8s.api.networking.v1.Ingress')
})

test('A namespace in a table shows its phase and age', async () => {
  const { body } = await kube.get('/api/v1/namespaces/default', asTable)
  expect(body).toMatchObject({
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Age' }],
    rows: [{ cells: ['default', 'Active', expect.any(String)], object: { kind: 'PartialObjectMetadata' } }],
  })
})

test('A table may carry whole objects, or none', async () => {
  const whole = await kube.get('/api/v1/namespaces/default?includeObject=Object', asTable)
  expect(whole).toMatchObject({ body: { rows: [{ object: { kind: 'Namespace' } }] } })
  const none = await kube.get('/api/v1/namespaces/default?includeObject=None', asTable)
  expect(none).toMatchObject({ body: { rows: [{ object: null }] } })
})
