import { readFileSync } from 'node:fs'
import { createMetrics, systemClock } from '@portcullis/kube'
import type { PodSpec } from 'kubernetes-types/core/v1'
import { describe, expect, it } from 'vitest'
import { operatorMetrics } from '../operator.ts'
import { manifests, outlivesTheOperator } from './manifests.ts'
import { operatorAccess } from './operator-access.ts'
import type { Manifest, ManifestOptions } from './options.ts'

const options: ManifestOptions = {
  name: 'portcullis',
  image: 'portcullis:1',
  operatorNamespace: 'operators',
  operandNamespace: 'routers',
  replicas: 2,
  openshift: false,
  monitoring: false,
  metricsNamespaces: ['monitoring'],
  apiServerPorts: [443, 6443],
  metricsAuthentication: false,
  configuration: 'domain: apps.example.com\n',
  routerImage: 'router:1',
  routerCpuRequest: '100m',
  routerMemoryRequest: '256Mi',
  maxReplicas: 50,
  admissionPolicy: true,
  hostNetwork: true,
}

function specOf(kind: string, changed: Partial<ManifestOptions> = {}): unknown {
  const found = manifests({ ...options, ...changed }).find((each: Manifest) => each.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind}`)
  return found['spec']
}

const kindsOf = (changed: Partial<ManifestOptions>) =>
  new Set(manifests({ ...options, ...changed }).map(({ kind }) => kind))

it('Namespaces and CustomResourceDefinitions precede the objects that need them', () => {
  const kinds = manifests(options).map(({ kind }) => kind)
  expect(kinds.slice(0, 4)).toEqual([
    'CustomResourceDefinition',
    'CustomResourceDefinition',
    'Namespace',
    'Namespace',
  ])
})

it('The manifests for OpenShift contain no CRDs, and let routers use the host network only on request', () => {
  expect(kindsOf({ openshift: true })).not.toContain('CustomResourceDefinition')
  const rules = (changed: Partial<ManifestOptions>) =>
    JSON.stringify(manifests({ ...options, ...changed }).filter(({ kind }) => kind === 'ClusterRole'))
  expect(rules({ openshift: true })).toContain('securitycontextconstraints')
  expect(rules({})).not.toContain('securitycontextconstraints')
})

it('Objects of the Prometheus operator are included only on request', () => {
  expect(kindsOf({})).not.toContain('ServiceMonitor')
  expect(kindsOf({ monitoring: true })).toContain('ServiceMonitor')
  expect(kindsOf({ monitoring: true })).toContain('PrometheusRule')
})

it('The operator may read no Secret, hand out no rights, and do nothing with a star', () => {
  const rules = manifests(options)
    .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name === 'portcullis')
    .flatMap(({ rules }) => rules as { resources: string[]; verbs: string[]; apiGroups: string[] }[])
  expect(rules.length).toBeGreaterThan(10)
  for (const { resources, verbs, apiGroups } of rules) {
    expect([...resources, ...verbs, ...apiGroups]).not.toContain('*')
    expect(resources).not.toContain('secrets')
    expect(apiGroups).not.toContain('rbac.authorization.k8s.io')
  }
})

it('The permissions of routers are bound only to their ServiceAccount', () => {
  const all = manifests({ ...options, openshift: true })
  const bound = all.filter(
    ({ kind, roleRef }) =>
      kind.endsWith('Binding') && (roleRef as { name?: string } | undefined)?.name === 'portcullis-router',
  )
  expect(bound.map(({ subjects }) => subjects)).toEqual([
    [{ kind: 'ServiceAccount', namespace: 'routers', name: 'router' }],
  ])
  const accounts = all.filter(({ kind }) => kind === 'ServiceAccount')
  expect(accounts).toContainEqual(
    expect.objectContaining({
      metadata: expect.objectContaining({ namespace: 'routers', name: 'router' }),
      automountServiceAccountToken: false,
    }),
  )
  expect(JSON.stringify(all)).not.toContain('system:serviceaccounts')
})

it('The operator has no permissions on ServiceAccounts', () => {
  const rules = operatorAccess({ ...options, openshift: true }).flatMap(({ rules }) => rules ?? [])
  expect(JSON.stringify(rules)).not.toContain('serviceaccounts')
})

it.each(['portcullis', 'router'])(
  'The account of the operator goes with the installation %s, and the routers’ stays',
  (name) => {
    const installed = { ...options, name }
    const accounts = manifests(installed).filter(({ kind }) => kind === 'ServiceAccount')
    const stay = accounts.filter((account) => outlivesTheOperator(account, installed))
    expect(accounts.map(({ metadata: { namespace } }) => namespace)).toEqual(['operators', 'routers'])
    expect(stay.map(({ metadata: { namespace } }) => namespace)).toEqual(['routers'])
  },
)

it('Only the named namespaces may scrape metrics', () => {
  const { ingress } = specOf('NetworkPolicy', { metricsNamespaces: ['monitoring', 'apm'] }) as {
    ingress: unknown
  }
  const from = ['monitoring', 'apm'].map((name) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  }))
  expect(ingress).toEqual([{ from, ports: [{ protocol: 'TCP', port: 8080 }] }])
  // An empty list of sources would let in everybody, and one of rules would be a change at every apply.
  const closed = specOf('NetworkPolicy', { metricsNamespaces: [] })
  expect(closed).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
  expect(closed).not.toHaveProperty('ingress')
})

it('The operator is let out to the ports of the API server and to DNS, and nowhere else', () => {
  const ports = (changed: Partial<ManifestOptions>) => {
    const { policyTypes, egress } = specOf('NetworkPolicy', changed) as {
      policyTypes: string[]
      egress: { ports: { protocol: string; port: number }[]; to?: unknown }[]
    }
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(egress).toHaveLength(1)
    // Nobody knows the address of the API server.
    expect(Object.keys(egress[0] ?? {})).toEqual(['ports'])
    return egress[0]?.ports.map(({ protocol, port }) => `${protocol} ${port}`)
  }
  const dns = ['UDP 53', 'TCP 53']
  expect(ports({})).toEqual(['TCP 443', 'TCP 6443', ...dns])
  expect(ports({ apiServerPorts: [7443] })).toEqual(['TCP 7443', ...dns])
  expect(ports({ openshift: true })).toEqual(['TCP 443', 'TCP 6443', ...dns, 'UDP 5353', 'TCP 5353'])
})

describe('The pods of the operator', () => {
  const podOf = (changed: Partial<ManifestOptions> = {}) =>
    (specOf('Deployment', changed) as { template: { spec: PodSpec } }).template.spec

  it('They run as the user and group of the image, which are not root’s', () => {
    const file = readFileSync(new URL('../../../../Containerfile', import.meta.url), 'utf8')
    const [, user, group] = /^USER (\d+):(\d+)$/m.exec(file) ?? []
    expect(Number(user)).toBeGreaterThan(0)
    expect(podOf().securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  it('They leave user and group to OpenShift, which has a range of users for each namespace', () => {
    expect(podOf({ openshift: true }).securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  it('They are not probed before they can have started', () => {
    const [{ startupProbe, livenessProbe, readinessProbe } = {}] = podOf().containers
    expect(startupProbe?.initialDelaySeconds).toBeGreaterThan(0)
    // A probe that does not wait for the caches, which may take their time on a large cluster.
    expect(startupProbe?.httpGet).toEqual(livenessProbe?.httpGet)
    expect(readinessProbe?.httpGet?.path).toBe('/readyz')
  })
})

it('The operator may review tokens, and Prometheus sends one, only where scrapers are to be authenticated', () => {
  const texts = (metricsAuthentication: boolean) =>
    JSON.stringify(manifests({ ...options, monitoring: true, metricsAuthentication }))
  for (const part of ['system:auth-delegator', 'portcullis-metrics-reader', 'bearerTokenFile']) {
    expect(texts(true)).toContain(part)
    expect(texts(false)).not.toContain(part)
  }
})

it('A change of the settings restarts the operator, and equal settings do not', () => {
  const template = (changed: Partial<ManifestOptions>) =>
    (specOf('Deployment', changed) as { template: unknown }).template
  expect(template({})).toEqual(template({}))
  expect(template({ configuration: 'domain: other.example.com\n' })).not.toEqual(template({}))
})

describe('alerts', () => {
  const { groups } = specOf('PrometheusRule', { monitoring: true }) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const rules = groups.flatMap(({ rules }) => rules)

  it.each(rules)('Alerts of $alert use existing metrics', ({ expr }) => {
    const { registry } = createMetrics('portcullis')
    operatorMetrics(registry, systemClock)
    const known = registry.getMetricsAsArray().map(({ name }) => name)
    const used = expr.match(/portcullis_\w+/g) ?? []
    expect(used.length).toBeGreaterThan(0)
    for (const name of used) expect(known).toContain(name)
  })
})
