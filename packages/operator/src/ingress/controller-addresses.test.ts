import type { Cached } from '@portcullis/kube'
import type { Node, Pod, Service } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import type { Infrastructure } from '../api/infrastructure.ts'
import { controllerAddresses } from './controller-addresses.ts'
import { ownerLabel } from './names.ts'
import type { Snapshot } from './snapshot.ts'
import type { WantedStrategy } from './strategies/wanted-strategy.ts'

const node = {
  metadata: { name: 'one', uid: 'one', resourceVersion: '1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
} as Cached<Node>

const aRouter = (httpPort: number | undefined) =>
  ({
    metadata: { name: 'router', namespace: 'ns', uid: 'router', resourceVersion: '1' },
    spec: {
      nodeName: 'one',
      ...(httpPort !== undefined && { hostNetwork: true }),
      containers: [
        {
          name: 'router',
          ports:
            httpPort === undefined
              ? []
              : [
                  { name: 'http', containerPort: httpPort, hostPort: httpPort },
                  { name: 'metrics', containerPort: 1936, hostPort: 1936 },
                ],
        },
      ],
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }) as Cached<Pod>

const aService = (spec: Service['spec'], ip?: string) =>
  ({
    metadata: {
      name: 's',
      namespace: 'ns',
      uid: 's',
      resourceVersion: '1',
      labels: { [ownerLabel]: 'edge' },
    },
    spec,
    status: { loadBalancer: { ingress: ip === undefined ? [] : [{ ip }] } },
  }) as Cached<Service>

function addresses(
  type: WantedStrategy['type'],
  {
    router,
    loadBalancer,
    nodePorts,
    infrastructure,
  }: {
    router?: Cached<Pod>
    loadBalancer?: Cached<Service>
    nodePorts?: Cached<Service>
    infrastructure?: Infrastructure
  },
) {
  const snapshot = {
    controller: { metadata: { name: 'edge' } },
    nodes: [node],
    infrastructure,
    pods: router === undefined ? [] : [router],
    operands: { loadBalancer, nodePortService: nodePorts },
  } as unknown as Snapshot
  return controllerAddresses(snapshot, { type })
}

const nodePorts = aService({
  type: 'NodePort',
  ports: [
    { name: 'http', port: 80, nodePort: 30_080 },
    { name: 'metrics', port: 1936, nodePort: 31_936 },
  ],
})
const balanced = aService({ type: 'LoadBalancer' }, '203.0.113.9')
const onNode = (port: number) => [{ ip: '192.0.2.1', ports: [{ port, protocol: 'TCP' }] }]

it('A load balancer is announced by what the cloud gave it', () => {
  expect(addresses('LoadBalancerService', { loadBalancer: balanced, router: aRouter(undefined) })).toEqual([
    { ip: '203.0.113.9' },
  ])
})

it('Host ports are announced where routers really listen on them, and as they listen', () => {
  expect(addresses('HostNetwork', { router: aRouter(80) })).toEqual(onNode(80))
  expect(addresses('HostNetwork', { router: aRouter(undefined) })).toEqual([])
  const { spec, ...behind } = aRouter(80)
  expect(
    addresses('HostNetwork', { router: { ...behind, spec: { ...spec, hostNetwork: false } } as never }),
  ).toEqual([])
})

it("The customer's load balancer is announced while routers listen before which it stands", () => {
  const infrastructure = {
    status: {
      platformStatus: {
        type: 'BareMetal',
        baremetal: { loadBalancer: { type: 'UserManaged' }, ingressIPs: ['198.51.100.7'] },
      },
    },
  } as unknown as Infrastructure
  expect(addresses('HostNetwork', { router: aRouter(80), infrastructure })).toEqual([{ ip: '198.51.100.7' }])
  expect(addresses('HostNetwork', { infrastructure })).toEqual([])
  const ours = {
    status: { platformStatus: { type: 'BareMetal', baremetal: { ingressIPs: ['198.51.100.7'] } } },
  }
  expect(addresses('HostNetwork', { router: aRouter(80), infrastructure: ours as never })).toEqual(onNode(80))
})

it('The wanted way is announced as soon as it is open, though another still is', () => {
  const router = aRouter(undefined)
  expect(addresses('NodePortService', { router, nodePorts, loadBalancer: balanced })).toEqual(onNode(30_080))
})

it('Node ports are announced on nodes with a router', () => {
  expect(addresses('NodePortService', { router: aRouter(undefined), nodePorts })).toEqual(onNode(30_080))
})

it('Until the new way in is open, the old one that still stands is announced', () => {
  const pending = aService({ type: 'LoadBalancer' })
  expect(addresses('LoadBalancerService', { loadBalancer: pending, router: aRouter(80) })).toEqual(onNode(80))
  expect(addresses('HostNetwork', { loadBalancer: balanced, router: aRouter(undefined) })).toEqual([
    { ip: '203.0.113.9' },
  ])
  expect(addresses('Private', { loadBalancer: balanced, router: aRouter(undefined) })).toEqual([
    { ip: '203.0.113.9' },
  ])
})

it('A Service that goes away, or is not ours, leads nowhere', () => {
  const leaving = {
    ...balanced,
    metadata: { ...balanced.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  }
  expect(addresses('LoadBalancerService', { loadBalancer: leaving })).toEqual([])
  const foreign = { ...balanced, metadata: { ...balanced.metadata, labels: {} } }
  expect(addresses('LoadBalancerService', { loadBalancer: foreign })).toEqual([])
  const router = aRouter(undefined)
  for (const { metadata } of [leaving, foreign])
    expect(addresses('NodePortService', { router, nodePorts: { ...nodePorts, metadata } })).toEqual([])
})
