import { beforeAll, expect, test } from 'vitest'
import { testedServer } from '../api-server.ts'
import { ApiVerbs, asTable, expecting, messageOf, unique } from '../api-verbs.ts'
import { badSpecs, badStrategies } from './bad-values.ts'
import { installCrds } from './installed.ts'
import { openshiftManifest } from './openshift-manifest.ts'

const kube = new ApiVerbs(testedServer())
let path = ''

beforeAll(async () => {
  await installCrds(kube)
  path = `/apis/operator.openshift.io/v1/namespaces/${await kube.namespace()}/ingresscontrollers`
})

const controller = (name: string, spec?: object) => ({
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: { name },
  ...(spec && { spec }),
})
const create = async (spec?: object) => expecting(201, kube.create(path, controller(unique('c'), spec)))
const strategyOf = async (strategy: object) =>
  (await create({ endpointPublishingStrategy: strategy })).spec['endpointPublishingStrategy']

test('A manifest for OpenShift comes back unchanged, without warnings', async () => {
  const created = await kube.create(`${path}?fieldValidation=Strict`, openshiftManifest)
  expect(created).toMatchObject({ code: 201, warnings: [] })
  const { name } = openshiftManifest.metadata
  const { spec } = await expecting(200, kube.get(`${path}/${name}`))
  expect(spec).toEqual(openshiftManifest.spec)
})

test('A manifest for OpenShift can be applied again and again', async () => {
  const manifest = { ...openshiftManifest, metadata: { name: 'applied' } }
  const first = await expecting(201, kube.apply(`${path}/applied`, manifest))
  const second = await expecting(200, kube.apply(`${path}/applied`, manifest))
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
})

test('A manifest may leave every field of the spec out', async () => {
  expect(await create()).not.toHaveProperty('spec')
  expect((await create({})).spec).toEqual({})
})

test('A misspelt field of a known setting is a warning for kubectl', async () => {
  const spec = { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { htpPort: 8080 } } }
  const answer = await kube.create(`${path}?fieldValidation=Strict`, controller('typo', spec))
  expect(answer.code).toBe(400)
  expect(messageOf(answer)).toContain('unknown field "spec.endpointPublishingStrategy.hostNetwork.htpPort"')
})

test('The ports of a host network default to 80, 443 and 1936', async () => {
  expect(await strategyOf({ type: 'HostNetwork', hostNetwork: { httpsPort: 8443 } })).toEqual({
    type: 'HostNetwork',
    hostNetwork: { httpPort: 80, httpsPort: 8443, statsPort: 1936 },
  })
})

test('No ports are defaulted where there is no host network', async () => {
  expect(await strategyOf({ type: 'HostNetwork' })).toEqual({ type: 'HostNetwork' })
})

test('The DNS management policy of a load balancer defaults to Managed', async () => {
  const loadBalancer = { scope: 'Internal' }
  expect(await strategyOf({ type: 'LoadBalancerService', loadBalancer })).toEqual({
    type: 'LoadBalancerService',
    loadBalancer: { scope: 'Internal', dnsManagementPolicy: 'Managed' },
  })
})

test('A load balancer without parameters gets none', async () => {
  expect(await strategyOf({ type: 'LoadBalancerService' })).toEqual({ type: 'LoadBalancerService' })
})

test.each<[string, object]>([
  ['no source ranges', { scope: 'External', allowedSourceRanges: null }],
  ['an empty list of source ranges', { scope: 'External', allowedSourceRanges: [] }],
  ['every address', { scope: 'External', allowedSourceRanges: ['0.0.0.0/0', '::/0'] }],
  [
    'an IPv6 range in all its length',
    { scope: 'External', allowedSourceRanges: ['2001:0db8:0000:0000:0000:0000:0000:0001/128'] },
  ],
  [
    'global access for clients of an internal load balancer',
    { scope: 'Internal', providerParameters: { type: 'GCP', gcp: { clientAccess: 'Global' } } },
  ],
  [
    'client access on an external load balancer, where it has no effect',
    { scope: 'External', providerParameters: { type: 'GCP', gcp: { clientAccess: 'Local' } } },
  ],
  ['a provider without settings', { scope: 'External', providerParameters: { type: 'GCP', gcp: {} } }],
  [
    'a floating IP',
    {
      scope: 'External',
      providerParameters: { type: 'OpenStack', openstack: { floatingIP: '203.0.113.1' } },
    },
  ],
])('A load balancer is accepted with %s', async (_, loadBalancer) => {
  expect(await strategyOf({ type: 'LoadBalancerService', loadBalancer })).toMatchObject({ loadBalancer })
})

test.each([
  ['the lowest port and the highest', { httpPort: 1, httpsPort: 65535 }],
  ['an empty protocol', { protocol: '' }],
])('A host network is accepted with %s', async (_, hostNetwork) => {
  expect(await strategyOf({ type: 'HostNetwork', hostNetwork })).toMatchObject({ hostNetwork })
})

test.each([[''], ['example'], ['a-1.b.example.com']])('The domain "%s" is accepted', async (domain) => {
  expect((await create({ domain })).spec).toEqual({ domain })
})

test.each([...badSpecs, ...badStrategies])('A value is refused: %s', async (_, spec, field, problem) => {
  const answer = await kube.create(path, controller('router-x', spec))
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(`spec.${field}: ${problem.replace('{}', `spec.${field}`)}`)
})

test('A patch with a bad client access is refused, and changes nothing', async () => {
  const created = await create({
    endpointPublishingStrategy: {
      type: 'LoadBalancerService',
      loadBalancer: {
        scope: 'Internal',
        providerParameters: { type: 'GCP', gcp: { clientAccess: 'Local' } },
      },
    },
  })
  const own = `${path}/${created.metadata.name}`
  const gcp = { clientAccess: 'Regional' }
  const spec = { endpointPublishingStrategy: { loadBalancer: { providerParameters: { gcp } } } }
  const answer = await kube.patch('merge', own, { spec })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(
    'providerParameters.gcp.clientAccess: Unsupported value: "Regional": supported values: "Global", "Local"',
  )
  expect(await expecting(200, kube.get(own))).toEqual(created)
})

test('A status keeps what others wrote, and holds one condition of each type', async () => {
  const { metadata } = await create({ replicas: 2 })
  const lastTransitionTime = '2026-11-16T00:00:00Z'
  const status = {
    availableReplicas: 2,
    selector: 'router=x',
    domain: 'apps.example.com',
    endpointPublishingStrategy: {
      type: 'LoadBalancerService',
      loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
    },
    conditions: [
      { type: 'Available', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime },
    ],
    observedGeneration: 1,
    namespaceSelector: { matchLabels: { a: 'b' } },
    routeSelector: {},
    tlsProfile: { minTLSVersion: 'VersionTLS12' },
  }
  const statusPath = `${path}/${metadata.name}/status`
  expect((await expecting(200, kube.patch('merge', statusPath, { status }))).status).toEqual(status)

  const conditions = [...status.conditions, ...status.conditions]
  const twice = await kube.patch('merge', statusPath, { status: { conditions } })
  expect(twice.code).toBe(422)
  expect(messageOf(twice)).toContain('status.conditions[1]: Duplicate value: {"type":"Available"}')
})

test('Two managers write conditions of their own without conflict, and each owns its whole condition', async () => {
  const { metadata } = await create({})
  const own = `${path}/${metadata.name}/status`
  const saying = (type: string) => ({
    ...controller(metadata.name),
    status: { conditions: [{ type, status: 'True', lastTransitionTime: '2026-11-16T00:00:00Z' }] },
  })
  await expecting(200, kube.apply(own, saying('Available'), { manager: 'one' }))
  const both = await expecting(200, kube.apply(own, saying('Upgradeable'), { manager: 'two' }))
  expect(both.status['conditions']).toMatchObject([{ type: 'Available' }, { type: 'Upgradeable' }])

  const available = { 'f:status': { 'f:conditions': { 'k:{"type":"Available"}': {} } } }
  expect(both.metadata['managedFields']).toContainEqual(
    expect.objectContaining({ manager: 'one', fieldsV1: available }),
  )
})

test('A controller can be scaled', async () => {
  const { metadata } = await create({ replicas: 2 })
  const own = `${path}/${metadata.name}`
  await kube.patch('merge', `${own}/status`, { status: { availableReplicas: 1, selector: 'router=x' } })
  expect(await kube.get(`${own}/scale`)).toMatchObject({
    code: 200,
    body: { kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 1, selector: 'router=x' } },
  })
  await expecting(200, kube.patch('merge', `${own}/scale`, { spec: { replicas: 5 } }))
  expect((await expecting(200, kube.get(own))).spec).toEqual({ replicas: 5 })
})

test('kubectl get shows strategy, scope, address, and how the controller is doing', async () => {
  const { metadata } = await create({})
  const lastTransitionTime = '2026-11-16T00:00:00Z'
  await kube.patch('merge', `${path}/${metadata.name}/status`, {
    status: {
      endpointPublishingStrategy: {
        type: 'LoadBalancerService',
        loadBalancer: { scope: 'Internal' },
        hostNetwork: { httpPort: 8080 },
      },
      conditions: [
        { type: 'Progressing', status: 'False', lastTransitionTime },
        { type: 'Available', status: 'True', lastTransitionTime },
        { type: 'Published', status: 'True', message: '10.0.0.7,fd00::7', lastTransitionTime },
      ],
    },
  })
  const { body } = await kube.get(`${path}/${metadata.name}`, asTable)
  const { columnDefinitions, rows } = body as {
    columnDefinitions: { name: string }[]
    rows: { cells: unknown[] }[]
  }
  expect(columnDefinitions.map(({ name }) => name)).toEqual([
    'Name',
    'Strategy',
    'Scope',
    'HTTP',
    'HTTPS',
    'Stats',
    'Address',
    'Available',
    'Progressing',
    'Age',
  ])
  expect(rows[0]?.cells.slice(0, -1)).toEqual([
    metadata.name,
    'LoadBalancerService',
    'Internal',
    8080,
    443,
    1936,
    '10.0.0.7,fd00::7',
    'True',
    'False',
  ])
})
