import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, systemClock } from '@portcullis/kube'
import {
  type Manifest,
  type ManifestOptions,
  manifests,
  type OperatorConfiguration,
  operatorConfiguration,
  usualApiServerPorts,
  usualMetricsNamespaces,
} from '@portcullis/operator'
import { startSandboxApi } from '@portcullis/sandbox/internal/sandbox-api.ts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { version } from '../../package.json'
import { startControlPlane } from '../clusters/control-plane.ts'
import { kubeconfig } from '../clusters/kubeconfig-file.ts'
import { helm } from './helm.ts'

const chart = 'deploy/chart'

beforeAll(() => helm('version'), 900_000)

async function rendered(values: object = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-chart-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'values.yaml')
  await writeFile(file, stringify(values))
  const { stdout, stderr, code } = await helm(
    'template',
    'edge',
    chart,
    '-n',
    'operators',
    '-f',
    file,
    '--kube-version',
    '1.36',
  )
  if (code !== 0) throw new Error(stderr)
  return stdout
}

test('Helm finds no problem in the chart', async () => {
  const { code, stdout } = await helm('lint', '--strict', chart)
  expect(code, stdout).toBe(0)
})

describe('The chart and the manifests', () => {
  const same: [string, object, Partial<ManifestOptions>][] = [
    ['as it is', {}, {}],
    ['on OpenShift', { openshift: true }, { openshift: true }],
    ['with monitoring', { monitoring: true }, { monitoring: true }],
    ['with an image and replicas', { image: 'mine:2', replicas: 3 }, { image: 'mine:2', replicas: 3 }],
    [
      'with namespaces that may scrape',
      { metricsNamespaces: ['apm', 'prometheus'] },
      { metricsNamespaces: ['apm', 'prometheus'] },
    ],
    [
      'with scrapers that are authenticated',
      { monitoring: true, config: { metricsAuthentication: true } },
      { monitoring: true, metricsAuthentication: true },
    ],
    [
      'with authentication alone',
      { config: { metricsAuthentication: true } },
      { metricsAuthentication: true },
    ],
    ['with another port of the API server', { apiServerPorts: [7443] }, { apiServerPorts: [7443] }],
    [
      'with other ports of it on OpenShift',
      { openshift: true, apiServerPorts: [6443, 3128] },
      { openshift: true, apiServerPorts: [6443, 3128] },
    ],
    ['without policies', { admissionPolicy: false }, { admissionPolicy: false }],
    ['without the network of nodes', { hostNetwork: false }, { hostNetwork: false }],
    ['with another image of routers', { config: { routerImage: 'mine:3' } }, { routerImage: 'mine:3' }],
    [
      'with other requests of routers',
      { config: { routerCpuRequest: '2000m', routerMemoryRequest: '1536Mi' } },
      { routerCpuRequest: '2000m', routerMemoryRequest: '1536Mi' },
    ],
    ['with another bound of replicas', { config: { maxReplicas: 7 } }, { maxReplicas: 7 }],
    ['with the highest bound of replicas', { config: { maxReplicas: 10_000 } }, { maxReplicas: 10_000 }],
    ['with another namespace', { operandNamespace: 'routers' }, { operandNamespace: 'routers' }],
  ]
  test.each(same)('The chart renders the same as the manifests %s', async (_, values, options) => {
    expect(asMap(await objectsIn(values))).toEqual(asMap(wanted(options)))
  })

  test('The chart renders the settings into the ConfigMap', async () => {
    const config = { domain: 'apps.example.com', ingressStatusAddress: ['192.0.2.1'] }
    const configMap = (await objectsIn({ config })).find(({ kind }) => kind === 'ConfigMap')
    const data = configMap?.['data'] as { 'config.yaml': string }
    expect(parse(data['config.yaml'])).toEqual({ ...config, ...places, healthPort: 8080 })
  })
})

const places = { operatorNamespace: 'operators', operandNamespace: 'openshift-ingress' }

async function objectsIn(values: object): Promise<Manifest[]> {
  return parseAllDocuments(await rendered(values)).flatMap((document) => (document.toJS() as Manifest) ?? [])
}

/** What the command would print, but for what only Helm has: its namespace, what outlives a release, a digest of its own. */
function wanted(options: Partial<ManifestOptions>): Manifest[] {
  const all = manifests({
    name: 'edge',
    image: `portcullis:${version}`,
    ...places,
    replicas: 2,
    openshift: false,
    monitoring: false,
    metricsNamespaces: usualMetricsNamespaces({ openshift: options.openshift ?? false }),
    apiServerPorts: usualApiServerPorts,
    metricsAuthentication: false,
    configuration: '',
    ...pickedFrom(operatorConfiguration.parse({})),
    admissionPolicy: true,
    hostNetwork: true,
    ...options,
  })
  return all
    .filter(({ kind, metadata }) => kind !== 'Namespace' || metadata.name !== 'operators')
    .map((object) => {
      if (!stays(object)) return object
      const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' }
      return { ...object, metadata: { ...object.metadata, annotations } }
    })
}

function pickedFrom(configuration: OperatorConfiguration) {
  const { routerImage, routerCpuRequest, routerMemoryRequest, maxReplicas } = configuration
  return { routerImage, routerCpuRequest, routerMemoryRequest, maxReplicas }
}

function stays({ kind, metadata }: Manifest): boolean {
  if (kind === 'ServiceAccount') return metadata.name === 'router'
  return ['Namespace', 'CustomResourceDefinition'].includes(kind) || metadata.name === 'edge-router'
}

function asMap(objects: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    objects.map((object) => {
      const { kind, metadata } = object
      const text = JSON.stringify(object)
        .replace(/"portcullis\.dev\/configuration":"[0-9a-f]{64}"/, '')
        .replace(/"data":\{"config\.yaml":"[^"]*"\}/, '"data":{}')
      return [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, text]
    }),
  )
}

test('The chart refuses an invalid value by its name', async () => {
  await expect(rendered({ replicas: 0 })).rejects.toThrow(/replicas/)
  await expect(rendered({ config: { plattform: 'AWS' } })).rejects.toThrow(/plattform/)
  await expect(rendered({ apiServerPorts: [] })).rejects.toThrow(/apiServerPorts/)
  await expect(rendered({ apiServerPorts: [0] })).rejects.toThrow(/apiServerPorts/)
  await expect(rendered({ config: { routerCpuRequest: 'much' } })).rejects.toThrow(/routerCpuRequest/)
  await expect(rendered({ colour: 'blue' })).rejects.toThrow(/colour/)
})

/** The sandbox, and an API server on which nobody else writes: what the real kubectl says when both are given the same. */
async function bothServers() {
  const plane = await startControlPlane({ parts: 'etcd+apiserver' })
  onTestFinished(() => plane.stop())
  const sandbox = await startSandboxApi({ clock: systemClock, random: Math.random, log: silentLogger })
  onTestFinished(() => sandbox.close())
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-chart-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'kubeconfig')
  const { server, ca, adminToken: token } = sandbox
  await writeFile(path, kubeconfig({ server, ca, user: 'admin', token }), { mode: 0o600 })
  const ofSandbox = { KUBECONFIG: path, KUBECACHEDIR: join(directory, 'cache') }
  return async (args: readonly string[], input: string) => ({
    real: await plane.kubectl(args, { input }),
    sandbox: await plane.kubectl(args, { input, env: ofSandbox }),
  })
}

test('kubectl applies what the chart renders to the sandbox as to a real API server', {
  timeout: 180_000,
}, async () => {
  const kubectl = await bothServers()
  await kubectl(['create', 'namespace', 'operators'], '')
  const variants = [
    {},
    { openshift: true },
    { metricsNamespaces: ['apm'], apiServerPorts: [7443], replicas: 1 },
    { admissionPolicy: false, hostNetwork: false, config: { metricsAuthentication: true } },
    { monitoring: true },
  ]
  for (const values of variants) {
    const { real, sandbox } = await kubectl(['apply', '-f', '-'], await rendered(values))
    expect(sandbox).toEqual(real)
    expect(real.stdout).toContain('networkpolicy.networking.k8s.io/edge ')
    // What only the Prometheus operator brings is refused by both.
    if (!('monitoring' in values)) expect(real.code, real.stderr).toBe(0)
  }
})
