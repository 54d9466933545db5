import { describe, expect, it } from 'vitest'
import { systemClock } from '../kube/clock.ts'
import { createMetrics } from '../kube/metrics.ts'
import { operatorMetrics } from '../operator.ts'
import { manifests } from './manifests.ts'
import type { Manifest, ManifestOptions } from './options.ts'

const options: ManifestOptions = {
  name: 'portcullis',
  image: 'portcullis:1',
  operatorNamespace: 'operators',
  operandNamespace: 'routers',
  replicas: 2,
  openshift: false,
  monitoring: false,
  configuration: 'domain: apps.example.com\n',
}

function specOf(kind: string, changed: Partial<ManifestOptions> = {}): unknown {
  const found = manifests({ ...options, ...changed }).find((each: Manifest) => each.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind}`)
  return found['spec']
}

const kindsOf = (changed: Partial<ManifestOptions>) =>
  new Set(manifests({ ...options, ...changed }).map(({ kind }) => kind))

it('namespaces and kinds come before what is in them', () => {
  const kinds = manifests(options).map(({ kind }) => kind)
  expect(kinds.slice(0, 4)).toEqual([
    'CustomResourceDefinition',
    'CustomResourceDefinition',
    'Namespace',
    'Namespace',
  ])
})

it('OpenShift has our kinds already, and lets routers use the network of the host only when told', () => {
  expect(kindsOf({ openshift: true })).not.toContain('CustomResourceDefinition')
  const rules = (changed: Partial<ManifestOptions>) =>
    JSON.stringify(manifests({ ...options, ...changed }).filter(({ kind }) => kind === 'ClusterRole'))
  expect(rules({ openshift: true })).toContain('securitycontextconstraints')
  expect(rules({})).not.toContain('securitycontextconstraints')
})

it('kinds of the Prometheus operator come only when asked for', () => {
  expect(kindsOf({})).not.toContain('ServiceMonitor')
  expect(kindsOf({ monitoring: true })).toContain('ServiceMonitor')
  expect(kindsOf({ monitoring: true })).toContain('PrometheusRule')
})

it('the operator may read no Secret, hand out no rights, and do nothing with a star', () => {
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

it('new settings start new pods, and the same settings do not', () => {
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

  it.each(rules)('$alert is about metrics that there are', ({ expr }) => {
    const { registry } = createMetrics()
    operatorMetrics(registry, systemClock)
    const known = registry.getMetricsAsArray().map(({ name }) => name)
    const used = expr.match(/portcullis_\w+/g) ?? []
    expect(used.length).toBeGreaterThan(0)
    for (const name of used) expect(known).toContain(name)
  })
})
