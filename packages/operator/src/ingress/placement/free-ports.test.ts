import { expect, test } from 'vitest'
import { aNodePortService, aPod } from '../../testing/nodes.ts'
import { defaultSettings } from '../settings.ts'
import { freePorts } from './free-ports.ts'
import { hostPortsOf } from './host-ports.ts'
import { reservedUse } from './reserved-ports.ts'

const ports = hostPortsOf({ type: 'HostNetwork' })
const empty = { hostPortPods: [], nodePortServices: [], settings: defaultSettings }

test('One free port is offered for each port in use, and no more', () => {
  expect(freePorts(empty, ports, ports)).toEqual({ httpPort: 8080, httpsPort: 8443, statsPort: 8936 })
  expect(freePorts(empty, ports.slice(1, 2), ports)).toEqual({ httpsPort: 8443 })
})

test('No port is offered that a running or pending pod or a Service uses', () => {
  const hostPortPods = [aPod('a', { node: 'a', ports: [8080] }), aPod('b', { ports: [8081] })]
  const nodePortServices = [aNodePortService('web', 8082)]
  expect(freePorts({ ...empty, hostPortPods, nodePortServices }, ports, ports)).toMatchObject({
    httpPort: 8083,
  })
})

test('No port is offered that the IngressController already uses', () => {
  const hostNetwork = { httpPort: 80, httpsPort: 8080, statsPort: 1936 }
  const wanted = hostPortsOf({ type: 'HostNetwork', hostNetwork })
  expect(freePorts(empty, wanted.slice(0, 1), wanted)).toEqual({ httpPort: 8081 })
})

test('No port of the node port range is offered, wherever that begins', () => {
  const settings = { ...defaultSettings, firstNodePort: 8400 }
  const { httpPort = 0, httpsPort = 0, statsPort = 0 } = freePorts({ ...empty, settings }, ports, ports)
  expect([httpPort, httpsPort, statsPort].every((port) => port >= 1024 && port < 8400)).toBe(true)
  expect(new Set([httpPort, httpsPort, statsPort]).size).toBe(3)
})

test.each([
  { firstNodePort: 8081, chosen: { httpPort: 1024, httpsPort: 1025, statsPort: 1026 } },
  { firstNodePort: 1026, chosen: { httpPort: 1024, httpsPort: 1025 } },
  { firstNodePort: 1024, chosen: {} },
])(
  'The lowest ports below $firstNodePort that need no privilege are chosen while there are any, with 8080 taken',
  ({ firstNodePort, chosen }) => {
    const settings = { ...defaultSettings, firstNodePort }
    const hostPortPods = [aPod('a', { ports: [8080] })]
    expect(freePorts({ ...empty, settings, hostPortPods }, ports, ports)).toEqual(chosen)
  },
)

test('No reserved port is offered', () => {
  const upToReserved = Array.from({ length: 9 }, (_, index) => 8080 + index)
  expect(reservedUse(8089)).toBeDefined()
  const hostPortPods = [aPod('a', { ports: upToReserved })]
  expect(freePorts({ ...empty, hostPortPods }, ports.slice(0, 1), ports)).toEqual({ httpPort: 8090 })
})

test.each([
  [22, 'SSH'],
  [2379, 'etcd'],
  [2380, 'etcd'],
  [6443, 'API server'],
  [10250, 'kubelet'],
  [22623, 'machine config'],
])('The port %d is reserved for %s', (port, use) => {
  expect(reservedUse(port)).toContain(use)
})

test.each([80, 443, 1936, 8080, 8443, 8936])('The port %d is not reserved', (port) => {
  expect(reservedUse(port)).toBeUndefined()
})
