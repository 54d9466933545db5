import { crds } from '@portcullis/operator'
import { routerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import { loadKubernetesSchemas, type Schema } from '@portcullis/schema'

export interface PlainObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** A kind that the operator looks at, and an object of it that matters to the controller `default`. */
export interface HostileKind {
  readonly kind: string
  /** Where objects of it are. */
  readonly path: string
  readonly schema: Schema
  readonly base: PlainObject
  readonly keepsUnknown: boolean
}

export const operatorNamespace = 'openshift-ingress-operator'
export const operandNamespace = 'openshift-ingress'
export const tenantNamespace = 'tenant'
export const controllerName = 'default'

const labels = { [routerLabel]: controllerName }
const selector = { matchLabels: labels }
const time = '2026-01-01T00:00:00Z'
const condition = (type: string, status: string) => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  lastTransitionTime: time,
})
const balanced = { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } }
/** A router that has crashed. */
const crashed = {
  name: 'router',
  image: 'router',
  imageID: 'x',
  ready: false,
  restartCount: 1,
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
  lastState: {
    terminated: { exitCode: 1, message: 'bind: address already in use', startedAt: time, finishedAt: time },
  },
}
const pod = {
  containers: [
    { name: 'router', image: 'router', ports: [{ name: 'http', containerPort: 80, hostPort: 80 }] },
  ],
}

function builtIn(
  group: string,
  version: string,
  kind: string,
  plural: string,
  base: object,
  namespace?: string,
  name = `router-${controllerName}`,
): HostileKind {
  const schema = loadKubernetesSchemas().lookup({ group, version, kind })
  if (schema === undefined) throw new Error(`There is no schema of ${kind}.`)
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return {
    kind,
    path: namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`,
    schema,
    base: {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { name, ...(namespace && { namespace }), labels },
      ...base,
    },
    keepsUnknown: false,
  }
}

function custom(kind: string, base: object, name: string, namespace?: string): HostileKind {
  const crd = crds.find(({ spec }) => spec.names.kind === kind)
  const version = crd?.spec.versions[0]
  if (crd === undefined || version === undefined) throw new Error(`There is no definition of ${kind}.`)
  const root = `/apis/${crd.spec.group}/${version.name}`
  return {
    kind,
    path:
      namespace === undefined
        ? `${root}/${crd.spec.names.plural}`
        : `${root}/namespaces/${namespace}/${crd.spec.names.plural}`,
    schema: version.schema.openAPIV3Schema,
    base: {
      apiVersion: `${crd.spec.group}/${version.name}`,
      kind,
      metadata: { name, ...(namespace && { namespace }) },
      ...base,
    },
    keepsUnknown: true,
  }
}

/** Every kind that is watched, and those that the rest of the operator reads. */
export const hostileKinds: readonly HostileKind[] = [
  custom(
    'IngressController',
    {
      spec: { domain: 'apps.example.com', endpointPublishingStrategy: { type: 'HostNetwork' } },
      status: {
        conditions: ['Published', 'LoadBalancerReady', 'LoadBalancerProgressing', 'DeploymentAvailable'].map(
          (type) => condition(type, 'False'),
        ),
      },
    },
    controllerName,
    operatorNamespace,
  ),
  custom('Infrastructure', { spec: {}, status: { platformStatus: { type: 'AWS' } } }, 'cluster'),
  builtIn(
    '',
    'v1',
    'Node',
    'nodes',
    { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } },
    undefined,
    'node-a',
  ),
  builtIn(
    '',
    'v1',
    'Service',
    'services',
    { spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80 }] }, status: balanced },
    operandNamespace,
  ),
  builtIn(
    '',
    'v1',
    'Service',
    'services',
    { spec: { type: 'NodePort', ports: [{ port: 80 }] } },
    tenantNamespace,
    'any',
  ),
  builtIn(
    '',
    'v1',
    'Pod',
    'pods',
    {
      spec: { ...pod, nodeName: 'node-a', hostNetwork: true },
      status: {
        phase: 'Running',
        conditions: [condition('Ready', 'True'), condition('PodScheduled', 'False')],
        containerStatuses: [crashed],
      },
    },
    operandNamespace,
  ),
  builtIn('', 'v1', 'Pod', 'pods', { spec: { ...pod, nodeName: 'node-a' } }, tenantNamespace, 'any'),
  builtIn(
    '',
    'v1',
    'Event',
    'events',
    {
      involvedObject: { kind: 'Service', namespace: operandNamespace, name: `router-${controllerName}` },
      reason: 'SyncLoadBalancerFailed',
      message: 'quota',
      source: { component: 'service-controller' },
      lastTimestamp: '2026-01-01T00:00:00Z',
    },
    operandNamespace,
    'event',
  ),
  builtIn('', 'v1', 'ServiceAccount', 'serviceaccounts', {}, operandNamespace),
  builtIn('', 'v1', 'Namespace', 'namespaces', {}, undefined, 'hostile'),
  builtIn(
    'apps',
    'v1',
    'Deployment',
    'deployments',
    {
      spec: { selector, template: { metadata: { labels }, spec: pod } },
      status: { replicas: 1, conditions: [condition('Available', 'False')] },
    },
    operandNamespace,
  ),
  builtIn(
    'policy',
    'v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { spec: { selector, maxUnavailable: '25%' } },
    operandNamespace,
  ),
  builtIn(
    'networking.k8s.io',
    'v1',
    'IngressClass',
    'ingressclasses',
    { spec: { controller: 'portcullis.dev/ingress' } },
    undefined,
    `portcullis-${controllerName}`,
  ),
  builtIn(
    'networking.k8s.io',
    'v1',
    'Ingress',
    'ingresses',
    {
      spec: {
        ingressClassName: `portcullis-${controllerName}`,
        defaultBackend: { service: { name: 'x', port: { number: 80 } } },
      },
      status: balanced,
    },
    tenantNamespace,
    'any',
  ),
  builtIn(
    'coordination.k8s.io',
    'v1',
    'Lease',
    'leases',
    { spec: { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } },
    operatorNamespace,
    'portcullis',
  ),
]
