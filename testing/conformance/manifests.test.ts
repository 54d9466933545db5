import {
  type Manifest,
  type ManifestOptions,
  manifests,
  usualApiServerPorts,
  usualMetricsNamespaces,
} from '@portcullis/operator'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ApiResponse, sandboxServer, type TestedServer } from './api-server.ts'
import { eventually } from './api-verbs.ts'
import { startBothServers } from './both-api-servers.ts'
import { Comparison, formatDifference } from './comparison.ts'

// Provided in the project `control-plane` alone, whatever its type says.
const hasRealPlane = (inject('controlPlane') as unknown) !== undefined

const usual: ManifestOptions = {
  name: 'portcullis',
  image: 'portcullis:1',
  operatorNamespace: 'operators',
  operandNamespace: 'routers',
  replicas: 2,
  openshift: false,
  monitoring: false,
  metricsNamespaces: usualMetricsNamespaces({ openshift: false }),
  apiServerPorts: usualApiServerPorts,
  metricsAuthentication: false,
  configuration: 'domain: apps.example.com\n',
  routerImage: 'router:1',
  routerCpuRequest: '100m',
  routerMemoryRequest: '256Mi',
  maxReplicas: 50,
  admissionPolicy: true,
  hostNetwork: true,
}

const switches = [
  'openshift',
  'monitoring',
  'metricsAuthentication',
  'admissionPolicy',
  'hostNetwork',
] as const
const others: readonly Partial<ManifestOptions>[] = [
  {},
  { metricsNamespaces: [], apiServerPorts: [7443], routerCpuRequest: '2', routerMemoryRequest: '1536Mi' },
  { metricsNamespaces: ['apm', 'monitoring'], replicas: 1, maxReplicas: 10_000, image: 'mine@sha256:1' },
]

/** Every combination of the switches, with each of the other options. */
const combinations = Array.from({ length: 2 ** switches.length }, (_, number) =>
  Object.fromEntries(switches.map((name, bit) => [name, Boolean(number & (1 << bit))])),
).flatMap((switched) => others.map((other) => ({ ...usual, ...switched, ...other })))

/** Kinds that come with the Prometheus operator. */
const monitoringKinds = ['ServiceMonitor', 'PrometheusRule'].map((kind) => {
  const singular = kind.toLowerCase()
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
})

let servers: { readonly sandbox: TestedServer; readonly real?: TestedServer; close(): Promise<void> }

beforeAll(async () => {
  if (hasRealPlane) servers = await startBothServers()
  else {
    const sandbox = await sandboxServer()
    servers = { sandbox, close: () => sandbox.close() }
  }
})

afterAll(() => servers.close())

/** Applies to the sandbox, and to the real server where there is one: what the sandbox answers, and how they differ. */
async function apply(object: Manifest, comparison: Comparison | undefined) {
  const { apiVersion, metadata } = object
  const collection = await collectionOf(object)
  const request = {
    method: 'PATCH',
    path: `${collection}/${metadata.name}?fieldManager=kubectl`,
    body: object,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  }
  if (comparison === undefined) return { answer: await servers.sandbox.ask(request), difference: undefined }
  if (apiVersion.startsWith('apiextensions')) {
    // Each server writes the status of its definitions when it gets to it.
    const answers = await Promise.all(all().map((server) => server.ask(request)))
    for (const { code } of answers) expect(code).toBe(answers[0]?.code)
    return { answer: answers[0] as ApiResponse, difference: undefined }
  }
  const { sandbox, difference } = await comparison.ask({ real: request, sandbox: request })
  return { answer: sandbox, difference }
}

function all(): readonly TestedServer[] {
  return [servers.sandbox, ...(servers.real ? [servers.real] : [])]
}

const plurals = new Map<string, string>()

async function collectionOf({ apiVersion, kind, metadata: { namespace } }: Manifest): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const key = `${root} ${kind}`
  if (!plurals.has(key)) {
    const { body } = await servers.sandbox.ask({ method: 'GET', path: root })
    const { resources = [] } = body as { resources?: readonly { name: string; kind: string }[] }
    const found = resources.find((one) => one.kind === kind && !one.name.includes('/'))
    if (found === undefined) throw new Error(`The sandbox serves no ${kind} of ${apiVersion}`)
    plurals.set(key, found.name)
  }
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plurals.get(key)}`
}

async function isServed(definition: Manifest): Promise<void> {
  const { group, names, versions } = definition['spec'] as {
    group: string
    names: { plural: string }
    versions: readonly { name: string }[]
  }
  const path = `/apis/${group}/${versions[0]?.name}/${names.plural}`
  for (const server of all())
    await eventually(async () => (await server.ask({ method: 'GET', path })).code === 200)
}

test('All that the manifests contain, whatever their options, is accepted, and then accepted again unchanged', {
  timeout: 120_000,
}, async () => {
  const comparison = servers.real && new Comparison({ real: servers.real, sandbox: servers.sandbox })
  for (const definition of monitoringKinds) {
    expect((await apply(definition, comparison)).answer.code).toBe(201)
    await isServed(definition)
  }
  const applied = new Map<string, Set<string>>()
  for (const object of combinations.flatMap(manifests)) {
    const identity = `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`
    const before = applied.get(identity) ?? new Set()
    const text = JSON.stringify(object)
    if (before.has(text)) continue
    const first = await apply(object, comparison)
    expect(first.difference && formatDifference(first.difference)).toBeUndefined()
    expect(first.answer, identity).toMatchObject({ code: before.size > 0 ? 200 : 201, warnings: [] })
    if (object.kind === 'CustomResourceDefinition') await isServed(object)
    else {
      const second = await apply(object, comparison)
      expect(second.difference && formatDifference(second.difference)).toBeUndefined()
      expect(versionOf(second.answer), identity).toBe(versionOf(first.answer))
    }
    applied.set(identity, before.add(text))
  }
  expect([...applied.keys()]).toEqual(
    expect.arrayContaining([
      'NetworkPolicy operators/portcullis',
      'ServiceMonitor operators/portcullis',
      'ValidatingAdmissionPolicyBinding /portcullis-deployments',
    ]),
  )
  expect(applied.get('Deployment operators/portcullis')?.size).toBeGreaterThan(2)
})

function versionOf({ body }: ApiResponse): string {
  return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion
}
