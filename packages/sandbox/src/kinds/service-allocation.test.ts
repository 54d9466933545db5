import type { AnyObject } from '@portcullis/schema'
import type { ServiceSpec } from 'kubernetes-types/core/v1'
import { expect, test } from 'vitest'
import type { ClusterView } from '../resource.ts'
import { allocateForCreate, allocateForUpdate } from './service-allocation.ts'

test('A new Service gets a free address, from the upper part of the range', () => {
  const created = aService({ type: 'ClusterIP', ports: [{ port: 80 }] })
  expect(allocateForCreate(created, clusterOf([aService({ clusterIPs: ['10.96.1.1'] })]))).toEqual([])
  expect(created.spec).toMatchObject({
    clusterIP: '10.96.1.2',
    clusterIPs: ['10.96.1.2'],
    ipFamilies: ['IPv4'],
  })
})

test('A new Service gets one node port for both protocols of a port', () => {
  const ports = [
    { name: 'tcp', port: 53, protocol: 'TCP' },
    { name: 'udp', port: 53, protocol: 'UDP' },
  ]
  const created = aService({ type: 'NodePort', ports })
  expect(allocateForCreate(created, clusterOf([]))).toEqual([])
  expect(portsOf(created)).toEqual([30086, 30086])
})

test('A new Service cannot take the node port of another', () => {
  const others = [aService({ type: 'NodePort', ports: [{ port: 1, nodePort: 30001 }] })]
  const created = aService({ type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] })
  expect(allocateForCreate(created, clusterOf(others))).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: 'spec.ports[0].nodePort',
      message: 'Invalid value: 30001: provided port is already allocated',
    },
  ])
})

test('A new Service gets values that are not allocated in a dry run', () => {
  const ports = [{ port: 80, nodePort: 30001 }, { port: 81 }, { port: 82 }]
  const dry = { ...clusterOf([]), isDryRun: true }
  const asking = aService({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports })
  expect(allocateForCreate(asking, dry)).toEqual([])
  expect(asking.spec).toMatchObject({ clusterIP: '10.96.0.0', healthCheckNodePort: 30004 })
  expect(portsOf(asking)).toEqual([30001, 30002, 30003])
  const modest = aService({ type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] })
  allocateForCreate(modest, dry)
  expect(portsOf(modest)).toEqual([32769, 32770])
})

test('A new Service gets no address of the lower part before the upper part is full', () => {
  const upper = Array.from({ length: 0xffff - 0x101 }, (_, step) => 0x101 + step)
  const taken = upper.map((number) => `10.96.${number >> 8}.${number & 255}`)
  const created = aService({ type: 'ClusterIP', ports: [{ port: 80 }] })
  allocateForCreate(created, clusterOf([aService({ clusterIPs: taken })]))
  expect((created.spec as ServiceSpec).clusterIP).toBe('10.96.0.1')
})

test('An updated Service keeps its node ports by the names of its ports', () => {
  const old = aService({
    type: 'NodePort',
    ports: [{ name: 'a', port: 80, nodePort: 30500 }],
    clusterIP: '10.96.1.1',
    clusterIPs: ['10.96.1.1'],
  })
  const changed = aService({
    type: 'NodePort',
    ports: [
      { name: 'b', port: 81 },
      { name: 'a', port: 80 },
    ],
  })
  expect(allocateForUpdate(changed, old, clusterOf([old]))).toEqual([])
  expect(portsOf(changed)).toEqual([30086, 30500])
})

test('An updated Service gets no node ports when it disables them', () => {
  const old = aService({
    type: 'ClusterIP',
    clusterIP: '10.96.1.1',
    clusterIPs: ['10.96.1.1'],
    ports: [{ port: 80 }],
  })
  const changed = aService({
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
    ports: [{ port: 80 }],
  })
  expect(allocateForUpdate(changed, old, clusterOf([old]))).toEqual([])
  expect(portsOf(changed)).toEqual([undefined])
})

function portsOf({ spec }: AnyObject): (number | undefined)[] {
  return ((spec as ServiceSpec).ports ?? []).map(({ nodePort }) => nodePort)
}

function aService(spec: ServiceSpec): AnyObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'default' }, spec }
}

/** Whatever is drawn is the first that there is. */
function clusterOf(services: readonly AnyObject[]): ClusterView {
  return { now: () => new Date(0), random: () => 0, get: () => undefined, list: () => services }
}
