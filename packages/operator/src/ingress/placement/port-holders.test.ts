import { expect, test } from 'vitest'
import { aNode, aPod, aRouterPod } from '../../testing/nodes.ts'
import { hostPortsOf } from './host-ports.ts'
import { heldByOthers, hostPortsIn } from './port-holders.ts'

const ports = hostPortsOf({ type: 'HostNetwork' })
const held = (...pods: ReturnType<typeof aPod>[]) =>
  heldByOthers(aNode('a'), ports, pods, 'edge').map(({ port, holder }) => [port.name, holder.metadata.name])

test('The host ports of an IngressController are those of its spec, else 80, 443 and 1936; other strategies have none', () => {
  expect(ports.map(({ name, number }) => [name, number])).toEqual([
    ['http', 80],
    ['https', 443],
    ['metrics', 1936],
  ])
  const hostNetwork = { httpPort: 80, httpsPort: 8443, statsPort: 1936 }
  expect(hostPortsOf({ type: 'HostNetwork', hostNetwork }).map(({ number }) => number)).toEqual([
    80, 8443, 1936,
  ])
  expect(hostPortsOf({ type: 'Private', hostNetwork })).toEqual([])
  expect(hostPortsOf(undefined)).toEqual([])
})

test('A port of a node is in use by the pod that declares it as a host port there', () => {
  expect(
    held(aPod('web', { node: 'a', ports: [443, 9000] }), aPod('far', { node: 'b', ports: [80] })),
  ).toEqual([['https', 'web']])
  expect(held(aRouterPod('public', 1, { node: 'a' })).map(([port]) => port)).toEqual([
    'http',
    'https',
    'metrics',
  ])
})

test('Routers of the same IngressController do not count as holders', () => {
  expect(held(aRouterPod('edge', 1, { node: 'a' }))).toEqual([])
})

test('A terminating pod uses its ports until the end; a completed pod uses none', () => {
  expect(held(aPod('web', { node: 'a', ports: [80], terminating: true }))).toEqual([['http', 'web']])
  expect(held(aPod('web', { node: 'a', ports: [80], phase: 'Succeeded' }))).toEqual([])
  expect(held(aPod('web', { node: 'a', ports: [80], phase: 'Failed' }))).toEqual([])
})

test('A UDP port with the same number does not count', () => {
  expect(held(aPod('quic', { node: 'a', ports: [443], protocol: 'UDP' }))).toEqual([])
})

test('A sidecar uses its ports like any container; an init container does not', () => {
  const initContainers = [
    { name: 'sidecar', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] },
    { name: 'prepare', ports: [{ containerPort: 443, hostPort: 443 }] },
  ]
  const { spec, ...pod } = aPod('web', { node: 'a' })
  expect(hostPortsIn({ ...pod, spec: { containers: spec?.containers ?? [], initContainers } })).toEqual([80])
})
