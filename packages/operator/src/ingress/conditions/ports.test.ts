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

describe('before any router runs', () => {
  test('a controller whose ports are taken on every node is admitted, and told by whom', () => {
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

  test('one node that is free is enough; the others are told of', () => {
    const scene = inCluster(onHostPorts(), [aNode('a'), aNode('b')], [aRouterPod('public', 1, { node: 'a' })])
    const { status, reason, message } = ports(scene)
    expect([status, reason]).toEqual(['True', 'PortsPartlyTaken'])
    expect(message).toMatch(/^The ports are free on 1 of the 2 nodes .* "public"\.$/)
  })

  test('free everywhere', () => {
    expect(ports(inCluster(onHostPorts({ httpPort: 8080 }), [aNode('a')], []))).toMatchObject({
      status: 'True',
      reason: 'PortsFree',
      message: 'Ports 8080, 443, 1936 are free on every node that is eligible to run routers.',
    })
  })

  test('without a node where routers may run nothing can be said', () => {
    expect(ports(inCluster(onHostPorts(), [aNode('a', { unschedulable: true })], []))).toMatchObject({
      status: 'Unknown',
      reason: 'NoNodes',
    })
  })

  test('routers of its own are in nobody’s way', () => {
    const scene = inCluster(onHostPorts(), [aNode('a')], [aRouterPod('third', 1, { node: 'a' })])
    expect(ports(scene).reason).toBe('PortsFree')
  })
})

describe('a Service that takes a port of ours as its node port', () => {
  const withService = (nodePort: number, protocol?: string) => {
    const scene = inCluster(onHostPorts({ httpPort: 31_080 }), [aNode('a')], [])
    scene.settings = { ...scene.settings, firstNodePort: 32_768 }
    scene.nodePortServices = [aNodePortService('web', nodePort, protocol)] as unknown as AnyObject[]
    return scene
  }

  test('is named, with what to change', () => {
    const { status, reason, message } = ports(withService(31_080))
    expect([status, reason]).toEqual(['False', 'NodePortConflict'])
    expect(message).toMatch(
      /^httpPort 31080 is the node port of the Service shop\/web on every node\. .*"httpPort":8080/,
    )
  })

  test('is found by any one of its ports, and is taken for TCP where it does not say', () => {
    const scene = withService(31_080)
    const [service] = scene.nodePortServices
    const itsPorts = [
      { port: 80, nodePort: 31_080 },
      { port: 443, nodePort: 31_443 },
    ]
    scene.nodePortServices = [{ ...service, spec: { ports: itsPorts } } as AnyObject]
    expect(ports(scene).reason).toBe('NodePortConflict')
  })

  test('is named in order with others that do', () => {
    const scene = withService(31_080)
    scene.nodePortServices = ['web', 'api'].map(
      (name) => aNodePortService(name, 31_080) as unknown as AnyObject,
    )
    expect(ports(scene).message).toMatch(/ Service shop\/api .* Service shop\/web /)
  })

  test('is in nobody’s way with another port, or over UDP', () => {
    expect(ports(withService(31_081)).status).toBe('True')
    expect(ports(withService(31_080, 'UDP')).status).toBe('True')
  })
})

test('a port that the cluster itself uses is warned about by name', () => {
  const scene = inCluster(onHostPorts({ httpsPort: 6443, statsPort: 10_250 }), [aNode('a')], [])
  const { status, reason, message } = ports(scene)
  expect([status, reason]).toEqual(['True', 'PortReserved'])
  expect(message).toContain(
    'httpsPort 6443 is reserved for the Kubernetes API server, statsPort 10250 is reserved for the kubelet',
  )
})

test('one such port is enough for a warning', () => {
  const scene = inCluster(onHostPorts({ httpsPort: 6443 }), [aNode('a')], [])
  expect(ports(scene).reason).toBe('PortReserved')
})

test.each([
  [5, ''],
  [6, '; and 1 more'],
])('of %i who hold ports five are named, and the others counted', (count, end) => {
  const held = Array.from({ length: count }, (_, number) => ({
    port: { name: 'http', field: 'httpPort', number: 80 } as const,
    node: `node-${number}`,
    holder: aPod('web', { node: `node-${number}` }),
  }))
  const told = describeHolders(held)
  expect(told.match(/is in use by/g)).toHaveLength(5)
  expect(told.endsWith(`node-4 is in use by pod default/web${end}`)).toBe(true)
})

test('where no ports of nodes are taken nothing is said about them, nor remembered', () => {
  const scene = inCluster(onHostPorts(), [aNode('a')], [])
  ports(scene)
  scene.spec({ endpointPublishingStrategy: { type: 'Private' } }).settle()
  expect(() => scene.condition('PortsAvailable')).toThrow('There is no condition')
  expect(() => ports(anIngressController().on('AWS').scoped('Internal'))).toThrow('There is no condition')
})

test('a Service that takes a port of ours degrades the controller after 60 seconds: kube-proxy is before the router', () => {
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
