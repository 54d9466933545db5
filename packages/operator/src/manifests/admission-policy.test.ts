import { readFileSync } from 'node:fs'
import type { PolicyRule } from 'kubernetes-types/rbac/v1'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { objections } from '../testing/evaluate-policy.ts'
import { hostilePods } from '../testing/hostile-pods.ts'
import type { Scene } from '../testing/scene.ts'
import { admissionPolicy } from './admission-policy.ts'
import { operatorAccess } from './operator-access.ts'

// What a real API server makes of the same policies is in testing/installation/admission-policy.test.ts.

function policyOf(name: string, { settings }: Scene, hostNetwork = true) {
  const policies = admissionPolicy({ name: 'p', ...settings, hostNetwork })
  const found = policies.find(
    ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name === `p-${name}`,
  )
  if (found === undefined) throw new Error(`There is no policy of ${name}`)
  return found
}

const certified = { defaultCertificate: { name: 'mine' } }
const onAws = () => anIngressController().on('AWS').scoped('External').spec(certified)
const published = (type: string) => () =>
  anIngressController()
    .on('None')
    .spec({ ...certified, endpointPublishingStrategy: { type } })
const strategies: Record<string, () => Scene> = {
  LoadBalancerService: onAws,
  HostNetwork: published('HostNetwork'),
  NodePortService: published('NodePortService'),
  Private: published('Private'),
}

const onOpenShift = (scene: () => Scene) => () => {
  const edge = scene()
  edge.settings = { ...edge.settings, commandLine: 'oc' }
  return edge
}

describe.each(Object.entries(strategies))('routers of the strategy %s', (strategy, scene) => {
  test('The routers comply with the admission policy', () => {
    const edge = scene()
    edge.settle()
    expect(objections(policyOf('deployments', edge), { object: edge.deployment })).toEqual([])
  })

  test('The routers comply with the admission policy on OpenShift and with every supported field', () => {
    const edge = onOpenShift(scene)().spec({
      domain: 'mine.example.com',
      httpHeaders: { forwardedHeaderPolicy: 'IfNone' },
      namespaceSelector: { matchLabels: { 'example.com/team': 'web_1' } },
      routeSelector: {
        matchExpressions: [
          { key: 'tier', operator: 'NotIn', values: ['a.b', 'c'] },
          { key: 'old', operator: 'DoesNotExist' },
        ],
      },
    })
    edge.settle()
    expect(objections(policyOf('deployments', edge), { object: edge.deployment })).toEqual([])
  })

  test('The routers use the host network only if that is allowed', () => {
    const edge = scene()
    edge.settle()
    const refused = objections(policyOf('deployments', edge, false), { object: edge.deployment })
    expect(refused.length).toBe(strategy === 'HostNetwork' ? 1 : 0)
  })
})

test.each(Object.keys(hostilePods))('A Deployment with %s is rejected for exactly that reason', (change) => {
  const edge = onAws()
  edge.settle()
  const object = structuredClone(edge.deployment)
  hostilePods[change]?.(object.spec.template.spec, object)
  expect(objections(policyOf('deployments', edge), { object })).toHaveLength(1)
})

test.each(Object.keys(hostilePods))(
  'A Deployment to which a user added %s can still be updated',
  (change) => {
    const edge = onAws()
    edge.settle()
    const oldObject = structuredClone(edge.deployment)
    hostilePods[change]?.(oldObject.spec.template.spec, oldObject)
    // What it is called is nobody's to change.
    oldObject.metadata.name = edge.deployment.metadata.name
    const object = structuredClone(oldObject)
    object.spec.template.spec.terminationGracePeriodSeconds = 5
    expect(objections(policyOf('deployments', edge), { oldObject, object })).toEqual([])
  },
)

test('A Deployment has at most maxReplicas routers, unless another client set more', () => {
  const edge = onAws()
  edge.settings = { ...edge.settings, maxReplicas: 7 }
  edge.settle()
  const policy = policyOf('deployments', edge)
  const withReplicas = (replicas: number | undefined) => {
    const { spec, ...deployment } = structuredClone(edge.deployment)
    return { ...deployment, spec: { ...spec, replicas } }
  }
  const refusal = ['The operator is not allowed to do this: spec.replicas does not exceed maxReplicas.']
  const scaled = { oldObject: withReplicas(9) }
  expect(objections(policy, { object: withReplicas(7) })).toEqual([])
  expect(objections(policy, { object: withReplicas(undefined) })).toEqual([])
  expect(objections(policy, { object: withReplicas(8) })).toEqual(refusal)
  expect(objections(policy, { oldObject: withReplicas(2), object: withReplicas(8) })).toEqual(refusal)
  expect(objections(policy, { ...scaled, object: withReplicas(9) })).toEqual([])
  expect(objections(policy, { ...scaled, object: withReplicas(8) })).toEqual([])
  expect(objections(policy, { ...scaled, object: withReplicas(10) })).toEqual(refusal)
})

test('A router requests at most what the settings say, in whatever unit', () => {
  const edge = onAws()
  edge.settings = { ...edge.settings, routerCpuRequest: '2', routerMemoryRequest: '1536Mi' }
  edge.settle()
  const object = structuredClone(edge.deployment)
  const { resources } = object.spec.template.spec.containers[0]
  expect(resources.requests).toEqual({ cpu: '2', memory: '1536Mi' })
  const refusal = [
    'The operator is not allowed to do this: routers request only the resources that routers need, and no devices.',
  ]
  for (const [requests, refused] of [
    [{ cpu: '2', memory: '1536Mi' }, []],
    [{ cpu: '2000m', memory: '1Gi' }, []],
    [{ cpu: '2001m', memory: '1Gi' }, refusal],
    [{ cpu: '1', memory: '1537Mi' }, refusal],
  ] as const) {
    resources.requests = requests
    expect(objections(policyOf('deployments', edge), { object }), JSON.stringify(requests)).toEqual(refused)
  }
})

/** A role cannot tell its own Lease from others where it is created, and the status of IngressControllers is what it is for. */
const unbounded = ['ingresscontrollers/status', 'leases']
const operations: Readonly<Record<string, string>> = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
}

test('An admission policy bounds whatever the operator may write or delete', () => {
  const writes = operatorAccess({ name: 'p', ...onAws().settings, openshift: true })
    .flatMap(({ rules }) => (rules ?? []) as PolicyRule[])
    .flatMap(({ resources = [], verbs }) => resources.map((resource) => ({ resource, verbs })))
    .flatMap(({ resource, verbs }) =>
      verbs.flatMap((verb) => (operations[verb] === undefined ? [] : [`${operations[verb]} ${resource}`])),
    )
  const bounded = admissionPolicy({ name: 'p', ...onAws().settings, hostNetwork: true })
    .flatMap(
      ({ spec }) => (spec as { matchConstraints?: { resourceRules: Bounds[] } }).matchConstraints ?? [],
    )
    .flatMap(({ resourceRules }) => resourceRules)
    .flatMap((rule) =>
      rule.resources.flatMap((resource) => rule.operations.map((operation) => `${operation} ${resource}`)),
    )
  const free = writes.filter((write) => !bounded.includes(write))
  expect(new Set(free.map((write) => write.split(' ')[1]))).toEqual(new Set(unbounded))
  expect(writes).toContain('UPDATE ingresses/status')
  expect(writes).toContain('DELETE services')
})

interface Bounds {
  readonly resources: readonly string[]
  readonly operations: readonly string[]
}

test('The operator can only delete Deployments of routers', () => {
  const edge = onAws()
  edge.settle()
  const policy = policyOf('deployment-deletions', edge)
  expect(objections(policy, { oldObject: edge.deployment })).toEqual([])
  const oldObject = { ...edge.deployment, metadata: { name: 'others' } }
  expect(objections(policy, { oldObject })).toHaveLength(1)
})

test('A container that a user added stays, and another one is rejected', () => {
  const edge = onAws()
  edge.settle()
  const policy = policyOf('deployments', edge)
  const withContainer = (image: string) => {
    const deployment = structuredClone(edge.deployment)
    deployment.spec.template.spec.containers.push({ name: 'theirs', image })
    return deployment
  }
  const oldObject = withContainer('theirs:1')
  expect(objections(policy, { oldObject, object: withContainer('theirs:1') })).toEqual([])
  expect(objections(policy, { oldObject, object: withContainer('evil:1') })).toEqual([
    'The operator is not allowed to do this: a router has one container, named router, and one init container.',
  ])
})

test('Every policy fails closed, and applies only to the ServiceAccount of the operator', () => {
  const edge = onAws()
  const policies = admissionPolicy({ name: 'p', ...edge.settings, hostNetwork: true })
  for (const { kind, spec } of policies) {
    if (kind !== 'ValidatingAdmissionPolicy') continue
    expect(spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConditions: [
        {
          expression: `request.userInfo.username == "system:serviceaccount:${edge.settings.operatorNamespace}:p"`,
        },
      ],
    })
  }
  expect(policies.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding').length).toBe(
    policies.length / 2,
  )
})

/** What can neither run a command in a router, nor show what it has mounted, nor take anything of its node. */
const harmless: Record<string, readonly string[]> = {
  PodSpec: [
    'activeDeadlineSeconds',
    'affinity',
    'automountServiceAccountToken',
    'dnsPolicy',
    'enableServiceLinks',
    // The API server takes none in a template.
    'ephemeralContainers',
    'hostname',
    'hostnameOverride',
    'nodeSelector',
    'overhead',
    'preemptionPolicy',
    'priority',
    'readinessGates',
    'restartPolicy',
    'schedulerName',
    'schedulingGates',
    'schedulingGroup',
    // As the API server has it, the same as serviceAccountName.
    'serviceAccount',
    'setHostnameAsFQDN',
    'subdomain',
    'terminationGracePeriodSeconds',
    'tolerations',
    'topologySpreadConstraints',
  ],
  Container: [
    'imagePullPolicy',
    'resizePolicy',
    'restartPolicy',
    'restartPolicyRules',
    'stdin',
    'stdinOnce',
    'terminationMessagePolicy',
    'tty',
  ],
  PodSecurityContext: [
    'fsGroup',
    'fsGroupChangePolicy',
    'runAsGroup',
    'runAsNonRoot',
    'seLinuxChangePolicy',
    'supplementalGroups',
    'supplementalGroupsPolicy',
  ],
  SecurityContext: ['allowPrivilegeEscalation', 'readOnlyRootFilesystem', 'runAsGroup', 'runAsNonRoot'],
  VolumeMount: ['mountPropagation', 'readOnly', 'recursiveReadOnly'],
  Probe: [
    'failureThreshold',
    'initialDelaySeconds',
    'periodSeconds',
    'successThreshold',
    'terminationGracePeriodSeconds',
    'timeoutSeconds',
  ],
  HTTPGetAction: ['path', 'port', 'scheme'],
  EnvVar: [],
}

test.each(Object.keys(harmless))('Every field of a %s is bounded, or cannot do harm', (definition) => {
  const { definitions } = JSON.parse(
    readFileSync(new URL('../../../schema/src/kubernetes.json', import.meta.url), 'utf8'),
  ) as { definitions: Record<string, { properties: object }> }
  const rules = JSON.stringify(policyOf('deployments', onAws()))
  const isBounded = (field: string) => new RegExp(`[.?]${field}\\b`).test(rules)
  const fields = Object.keys(definitions[`core/v1.${definition}`]?.properties ?? {})
  expect(fields.filter((field) => !isBounded(field)).sort()).toEqual(harmless[definition])
})
