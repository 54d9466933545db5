import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { AnyObject } from '../../testing/fake-api-server.ts'
import { aNode, aNodePortService, aPod, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import type { Scene } from '../../testing/scene.ts'
import { describeHolders } from './ports.ts'
import { degraded } from './summary-conditions.ts'

function ports(scene: Scene) {
  scene.settle()
  return scene.condition('PortsAvailable')
}

describe('PortsAvailable before any router runs', () => {
  test('PortsAvailable before any router runs is False, with the holders, if the ports are in use on every node, and the IngressController is still admitted', () => {
    const nodes = [aNode('a'), aNode('b')]
    const scene = inCluster(onHostPorts(), nodes, [
      aRouterPod('public', 1, { node: 'a' }),
      aPod('web', { node: 'b', ports: [80] }),
    ])
    const { status, reason, message } = ports(scene)
    expect(scene.condition('Admitted').status).toBe('True')
    expect([status, reason]).toEqual(['False', 'PortsTaken'])
    expect(message).toContain(
      'port 80 (http) on node b is in use by pod default/web; ports 80 (http), 443 (https) and 1936 (metrics) on node a are in use by pod openshift-ingress/router-public-1 of IngressController "public". ',
    )
    expect(message).toContain('"hostNetwork":{"httpPort":8080,"httpsPort":8443,"statsPort":8936}')
  })

  test('PortsAvailable before any router runs is True if the ports are free on one node, and names the others', () => {
    const scene = inCluster(onHostPorts(), [aNode('a'), aNode('b')], [aRouterPod('public', 1, { node: 'a' })])
    const { status, reason, message } = ports(scene)
    expect([status, reason]).toEqual(['True', 'PortsPartlyTaken'])
    expect(message).toMatch(/^The ports are free on 1 of the 2 nodes .* "public"\.$/)
  })

  test('PortsAvailable before any router runs is True if the ports are free on every node', () => {
    expect(ports(inCluster(onHostPorts({ httpPort: 8080 }), [aNode('a')], []))).toMatchObject({
      status: 'True',
      reason: 'PortsFree',
      message: 'Ports 8080, 443, 1936 are free on every node that is eligible to run routers.',
    })
  })

  test('PortsAvailable before any router runs is Unknown if no node is eligible to run routers', () => {
    expect(ports(inCluster(onHostPorts(), [aNode('a', { unschedulable: true })], []))).toMatchObject({
      status: 'Unknown',
      reason: 'NoNodes',
    })
  })

  test('PortsAvailable before any router runs ignores routers of the same IngressController', () => {
    const scene = inCluster(onHostPorts(), [aNode('a')], [aRouterPod('third', 1, { node: 'a' })])
    expect(ports(scene).reason).toBe('PortsFree')
  })
})

describe('a Service whose node port is a port of the routers', () => {
  const withService = (nodePort: number, protocol?: string) => {
    const scene = inCluster(onHostPorts({ httpPort: 31_080 }), [aNode('a')], [])
    scene.settings = { ...scene.settings, firstNodePort: 32_768 }
    scene.nodePortServices = [aNodePortService('web', nodePort, protocol)] as unknown as AnyObject[]
    return scene
  }

  test('A Service whose node port is a port of the routers is reported with a command that changes the port', () => {
    const { status, reason, message } = ports(withService(31_080))
    expect([status, reason]).toEqual(['False', 'NodePortConflict'])
    expect(message).toMatch(
      /^httpPort 31080 is the node port of the Service shop\/web on every node\. .*"httpPort":8080/,
    )
  })

  test('A Service whose node port is a port of the routers is found by any of its ports, with TCP as the default protocol', () => {
    const scene = withService(31_080)
    const [service] = scene.nodePortServices
    const itsPorts = [
      { port: 80, nodePort: 31_080 },
      { port: 443, nodePort: 31_443 },
    ]
    scene.nodePortServices = [{ ...service, spec: { ports: itsPorts } } as AnyObject]
    expect(ports(scene).reason).toBe('NodePortConflict')
  })

  test('A Service whose node port is a port of the routers is reported in order with other such Services', () => {
    const scene = withService(31_080)
    scene.nodePortServices = ['web', 'api'].map(
      (name) => aNodePortService(name, 31_080) as unknown as AnyObject,
    )
    expect(ports(scene).message).toMatch(/ Service shop\/api .* Service shop\/web /)
  })

  test('A Service is not reported with another port, or over UDP', () => {
    expect(ports(withService(31_081)).status).toBe('True')
    expect(ports(withService(31_080, 'UDP')).status).toBe('True')
  })
})

test('PortsAvailable warns of reserved ports and names their components', () => {
  const scene = inCluster(onHostPorts({ httpsPort: 6443, statsPort: 10_250 }), [aNode('a')], [])
  const { status, reason, message } = ports(scene)
  expect([status, reason]).toEqual(['True', 'PortReserved'])
  expect(message).toContain(
    'httpsPort 6443 is reserved for the Kubernetes API server, statsPort 10250 is reserved for the kubelet',
  )
})

test('PortsAvailable warns if a single port is reserved', () => {
  const scene = inCluster(onHostPorts({ httpsPort: 6443 }), [aNode('a')], [])
  expect(ports(scene).reason).toBe('PortReserved')
})

test.each([
  [5, ''],
  [6, '; and 1 more'],
])('A message names five of %i holders and counts the others', (count, end) => {
  const held = Array.from({ length: count }, (_, number) => ({
    port: { name: 'http', field: 'httpPort', number: 80 } as const,
    node: `node-${number}`,
    holder: aPod('web', { node: `node-${number}` }),
  }))
  const described = describeHolders(held)
  expect(described.match(/is in use by/g)).toHaveLength(5)
  expect(described.endsWith(`node-4 is in use by pod default/web${end}`)).toBe(true)
})

test('PortsAvailable is absent, and removed, if the strategy uses no host ports', () => {
  const scene = inCluster(onHostPorts(), [aNode('a')], [])
  ports(scene)
  scene.spec({ endpointPublishingStrategy: { type: 'Private' } }).settle()
  expect(() => scene.condition('PortsAvailable')).toThrow('There is no condition')
  expect(() => ports(anIngressController().on('AWS').scoped('Internal'))).toThrow('There is no condition')
})

test('A Service whose node port is a port of the routers degrades the IngressController after 60 seconds: kube-proxy takes the traffic before the router', () => {
  const since = '2026-01-01T00:00:00Z'
  const conflict = {
    type: 'PortsAvailable',
    status: 'False',
    reason: 'NodePortConflict',
    message: 'taken',
    lastTransitionTime: since,
  } as const
  const after = (seconds: number) => new Date(Date.parse(since) + seconds * 1000)
  expect(degraded([conflict], after(59)).condition.status).toBe('False')
  expect(degraded([conflict], after(60)).condition.status).toBe('True')
  expect(degraded([{ ...conflict, reason: 'PortsTaken' }], after(60)).condition.status).toBe('False')
})
