import { expect, test } from 'vitest'
import { templateHashLabel } from '../ingress/names.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { aNode, aRouterPod, onHostPorts } from '../testing/nodes.ts'
import { anIngress, planOf } from '../testing/plan-of-scene.ts'
import type { Scene } from '../testing/scene.ts'

const routedNodes = (scene: Scene, names = ['n1', 'n2']) => {
  scene.nodes = names.map((name, index) => ({
    ...aNode(name),
    status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${index + 1}` }] },
  })) as never
  const hash = scene.deployment.spec.template.metadata.labels[templateHashLabel] as string
  scene.hostPortPods = [1, 2].map((number) => {
    const pod = aRouterPod('third', number, { node: `n${number}`, hash })
    const [container] = pod.spec?.containers ?? []
    const ports = container?.ports?.map((port) => ({
      ...port,
      ...(port.hostPort === 1936 && { name: 'metrics' }),
    }))
    return {
      ...pod,
      spec: { ...pod.spec, containers: [{ ...container, ports }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }
  }) as never
  return scene
}
const onHost = (names?: string[]) => routedNodes(onHostPorts().published(), names)
const typed = (type: string) => ({ endpointPublishingStrategy: { type, hostNetwork: null } })
const more = { Ingress: [anIngress('a', 'a.example', 'portcullis-third')] }

test('A plan reports the clients that a change to node ports cuts off, which keeps the addresses but not the ports', () => {
  const result = planOf(onHost(), typed('NodePortService'), { more })
  expect(result.controllers[0]).toMatchObject({
    addresses: { before: ['10.0.0.1', '10.0.0.2'], after: ['10.0.0.1', '10.0.0.2'], decidedBy: undefined },
    ingresses: { count: 1, hosts: [] },
    interruptions: [
      'Ports 80, 443 of 10.0.0.1, 10.0.0.2 are no longer open: clients that use them are cut off. After the change the open ports are <given by the cluster>.',
    ],
  })
  const service = result.changes.find(({ name }) => name === 'router-nodeport-third')
  expect(service?.fields).toContainEqual({
    path: 'spec.ports[http].nodePort',
    from: undefined,
    to: '<given by the cluster>',
  })
})

test('A plan reports the clients that a change to Private cuts off, which leaves no address', () => {
  const { controllers } = planOf(onHost(['n1', 'n2', 'n3']), typed('Private'), { more })
  expect(controllers[0]).toMatchObject({
    addresses: { after: [], decidedBy: undefined },
    ingresses: { count: 1, hosts: ['a.example'] },
    interruptions: [
      'It is no longer reachable at 10.0.0.1, 10.0.0.2: clients that use these addresses are cut off.',
    ],
  })
})

test('A plan reports the clients that a change to a load balancer cuts off, which leaves the nodes', () => {
  const scene = routedNodes(onHostPorts().on('AWS').published())
  const { controllers } = planOf(scene, typed('LoadBalancerService'))
  expect(controllers[0]).toMatchObject({
    addresses: { after: ['<given by the cloud>'], decidedBy: 'cloud' },
    interruptions: [expect.stringContaining('no longer reachable at 10.0.0.1, 10.0.0.2')],
  })
})

const onOtherPort = { endpointPublishingStrategy: { hostNetwork: { httpPort: 8080 } } }

test.each([
  ['on the same nodes', ['n1', 'n2'], undefined],
  ['wherever routers are then', ['n1', 'n2', 'n3'], 'scheduler'],
])('A plan reports the clients that a change of a port cuts off, %s', (_, nodes, decidedBy) => {
  expect(planOf(onHost(nodes), onOtherPort).controllers[0]).toMatchObject({
    addresses: { decidedBy },
    interruptions: [
      'Port 80 of 10.0.0.1, 10.0.0.2 is no longer open: clients that use it are cut off. After the change the open ports are 443, 8080.',
    ],
  })
})

test('A plan reports the clients that fewer routers cut off, which give up some address', () => {
  const [outlook] = planOf(onHost(), { replicas: 1 }).controllers
  expect(outlook?.addresses).toMatchObject({ after: [expect.any(String)], decidedBy: 'scheduler' })
  expect(outlook?.interruptions).toEqual([
    'Of the 2 addresses at which it is reachable now, 1 remains: clients that use another are cut off.',
  ])
})

test('A plan reports no clients that are cut off where everything stays open', () => {
  expect(planOf(onHost(['n1', 'n2', 'n3']), { replicas: 3 }).controllers[0]?.interruptions).toEqual([])
})

test('A plan reports the clients of node ports that routers refuse once they expect the PROXY protocol', () => {
  const refused = /^Routers begin to expect the PROXY protocol/
  const change = (platform: 'AWS' | 'GCP', nodePort?: object, aws?: object) => {
    const strategy = { type: 'NodePortService', ...(nodePort && { nodePort }) }
    const scene = anIngressController()
      .on(platform)
      .spec({ endpointPublishingStrategy: strategy })
      .published()
    const loadBalancer = { scope: 'External', ...(aws && { providerParameters: { type: 'AWS', aws } }) }
    const wanted = { type: 'LoadBalancerService', loadBalancer, nodePort: null }
    const { controllers } = planOf(scene, { endpointPublishingStrategy: wanted })
    return controllers[0]?.interruptions.filter((sentence) => refused.test(sentence))
  }
  expect(change('AWS')).toHaveLength(1)
  expect(change('AWS', { protocol: 'PROXY' })).toEqual([])
  expect(change('AWS', undefined, { type: 'NLB' })).toEqual([])
  expect(change('GCP')).toEqual([])
})
