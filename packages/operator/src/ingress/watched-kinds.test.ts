import type { KubeObject, WatchedKind } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { routerLabel } from './names.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import { defaultSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

const table = watchedKinds(defaultSettings)

test('The cache keeps of events only what the cloud says', () => {
  const metadata = { namespace: 'openshift-ingress', name: 'e', uid: 'e', resourceVersion: '1' }
  const event = {
    metadata: { ...metadata, managedFields: [{ manager: 'service-controller' }] },
    involvedObject: { kind: 'Service', name: 'router-edge', uid: 's' },
    reason: 'DeletedLoadBalancer',
    message: 'Deleted load balancer',
  }
  expect(table.cloudEvents.project?.(event)).toEqual({ metadata, involvedObject: {} })
})

test('The cache keeps of a pod with ten thousand host ports the lowest hundred, each once', () => {
  const metadata = { namespace: 'tenant', name: 'p', uid: 'p', resourceVersion: '1' }
  const ports = Array.from({ length: 10_000 }, (_, at) => ({
    name: `port-${at}`,
    containerPort: 80,
    hostPort: 10_000 - (at % 5_000),
    hostIP: `192.0.2.${at % 256}`,
  }))
  const pod = {
    metadata: { ...metadata, labels: { a: 'b' } },
    spec: {
      nodeName: 'worker',
      containers: [{ name: 'a', ports, env: [{ name: 'BULK', value: 'x'.repeat(1_000_000) }] }],
    },
    status: { phase: 'Running' },
  }
  const kept = table.pods.project?.(pod) as typeof pod
  expect(JSON.stringify(kept).length).toBeLessThan(5_000)
  expect(hostPortsIn(kept)).toEqual(Array.from({ length: 100 }, (_, at) => 5_001 + at))
  expect(kept.spec.nodeName).toBe('worker')
})

test('The cache keeps of a Service in another namespace only its node ports', () => {
  const metadata = { namespace: 'tenant', name: 's', uid: 's', resourceVersion: '1' }
  const service = {
    metadata: { ...metadata, annotations: { bulk: 'x'.repeat(200_000) } },
    spec: {
      externalIPs: Array.from({ length: 60_000 }, () => '192.0.2.1'),
      ports: [
        { name: 'http', port: 80, nodePort: 30_080, protocol: 'TCP', appProtocol: 'example.com/x' },
        { name: 'https', port: 443, protocol: 'TCP' },
      ],
    },
  }
  expect(table.services.project?.(service)).toEqual({
    metadata,
    spec: { ports: [{ port: 80, nodePort: 30_080, protocol: 'TCP' }] },
  })
})

test('The cache keeps the labels of a node, unless it has more than any node needs', () => {
  const metadata = { name: 'worker', uid: 'n', resourceVersion: '1', labels: { role: 'edge' } }
  const kept = (labels: object) =>
    table.nodes.project?.({ metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } })
  expect(kept({})?.metadata.labels).toEqual(metadata.labels)
  const many = Object.fromEntries(Array.from({ length: 3_500 }, (_, at) => [`l${at}`, 'x'.repeat(63)]))
  expect(JSON.stringify(kept(many)).length).toBeLessThan(200)
})

test('Kinds of one namespace are watched in that namespace alone, and of its events those of Services', () => {
  const selections = Object.fromEntries(
    Object.values<Pick<WatchedKind<KubeObject, never>, 'kind' | 'selection'>>(table).map(
      ({ kind, selection }) => [kind.kind, selection],
    ),
  )
  const { operatorNamespace, operandNamespace: namespace } = defaultSettings
  expect(selections).toEqual({
    IngressController: { namespace: operatorNamespace },
    Infrastructure: undefined,
    Node: undefined,
    Deployment: { namespace },
    Service: undefined,
    PodDisruptionBudget: { namespace },
    IngressClass: undefined,
    Pod: undefined,
    Event: { namespace, fieldSelector: 'involvedObject.kind=Service' },
  })
})

test('Services, pods and events are found by their node ports, host ports, controller and Service', () => {
  const { services, pods, cloudEvents } = table
  const found = (index: ((object: never) => Iterable<string>) | undefined, object: object) =>
    index?.(object as never)
  const ports = [{ port: 80, nodePort: 30_080 }, { port: 443 }]
  expect(found(services.indexes?.hasNodePorts, { spec: { ports } })).toEqual(['yes'])
  expect(found(services.indexes?.hasNodePorts, { spec: { ports: [{ port: 443 }] } })).toEqual([])
  const labels = { [routerLabel]: 'edge' }
  const namespace = defaultSettings.operandNamespace
  expect(found(pods.indexes?.controller, { metadata: { namespace, labels } })).toEqual(['edge'])
  expect(found(pods.indexes?.controller, { metadata: { namespace: 'tenant', labels } })).toEqual([''])
  const pod = (hostPort?: number) => ({
    metadata: {},
    spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, ...(hostPort && { hostPort }) }] }] },
  })
  expect(found(pods.indexes?.hasHostPorts, pod(80))).toEqual(['yes'])
  expect(found(pods.indexes?.hasHostPorts, pod())).toEqual([])
  expect(found(cloudEvents.indexes?.service, { involvedObject: { name: 'router-edge' } })).toEqual([
    'router-edge',
  ])
  expect(found(cloudEvents.indexes?.service, { involvedObject: {} })).toEqual([''])
})

test('The cache keeps of a node where it runs and whether routers may run on it', () => {
  const metadata = { name: 'worker', uid: 'n', resourceVersion: '1' }
  const project = (spec: object) => table.nodes.project?.({ metadata, spec })
  const spec = {
    providerID: 'aws:///a/i-1',
    taints: [{ key: 'a', effect: 'NoSchedule' }],
    unschedulable: true,
  }
  expect(project({ ...spec, podCIDR: '10.0.0.0/24' })).toEqual({ metadata, spec, status: {} })
  expect(project({})).toStrictEqual({ metadata, spec: {}, status: {} })
})

test('The cache keeps no container of a pod in another namespace without host ports', () => {
  const metadata = { namespace: 'tenant', name: 'p', uid: 'p', resourceVersion: '1' }
  const pod = { metadata, spec: { containers: [{ name: 'a' }] } }
  expect(table.pods.project?.(pod)).toEqual({ metadata, spec: { containers: [] }, status: {} })
})
