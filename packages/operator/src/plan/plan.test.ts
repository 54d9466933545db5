import { expect, test } from 'vitest'
import { autoDeleteAnnotation, templateHashLabel } from '../ingress/names.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { listedFrom } from '../testing/listed-scene.ts'
import { aNode, aPod, aRouterPod, onHostPorts } from '../testing/nodes.ts'
import { anIngress, planOf } from '../testing/plan-of-scene.ts'
import { plan } from './plan.ts'
import type { WantedController } from './simulation.ts'

const namespace = 'openshift-ingress-operator'

const scoped = (scope: string) => ({
  endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: { scope } },
})
const signs = ({ changes }: ReturnType<typeof plan>) =>
  changes.map(({ sign, kind, name, when }) => `${sign} ${kind} ${name} ${when}`)

test('A plan of the current state has no changes', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const { changes, controllers, isBehind } = planOf(scene, {})
  expect(changes).toEqual([])
  expect(isBehind).toBe(false)
  expect(controllers).toMatchObject([{ name: 'edge', interruptions: [], waits: undefined, problems: [] }])
})

test('A plan of a new IngressController lists all its objects and an address that the cloud assigns', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const wanted = {
    metadata: { namespace, name: 'inner' },
    spec: { domain: 'inner.example.com', ...scoped('Internal') },
  } as WantedController
  const result = planOf(scene, {}, { wanted: [wanted] })
  expect(signs(result)).toEqual([
    '+ IngressController inner at once',
    '+ Service router-internal-inner at once',
    '+ Deployment router-inner at once',
    '+ IngressClass portcullis-inner at once',
    '+ PodDisruptionBudget router-inner at once',
    '+ Service router-inner at once',
  ])
  expect(result.controllers).toMatchObject([
    {
      name: 'inner',
      domain: 'inner.example.com',
      addresses: { before: [], decidedBy: 'cloud' },
      interruptions: [],
    },
  ])
})

test('A plan of another scope waits for the user on AWS, with both commands, and replaces the Service', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const more = {
    Ingress: [anIngress('a', 'a.example'), anIngress('b', 'a.example'), anIngress('c', 'c', 'other')],
  }
  const result = planOf(scene, scoped('Internal'), { more })
  expect(signs(result)).toEqual([
    '~ IngressController edge at once',
    '-/+ Service router-edge when you agree',
  ])
  const [controller, service] = result.changes
  expect(controller?.fields).toEqual([
    { path: 'spec.endpointPublishingStrategy.loadBalancer.scope', from: 'External', to: 'Internal' },
  ])
  expect(service?.disruption).toBe('interrupts')
  expect(service?.fields).toContainEqual({
    path: 'metadata.annotations["service.beta.kubernetes.io/aws-load-balancer-internal"]',
    from: undefined,
    to: 'true',
  })
  expect(service?.fields.some(({ path }) => path.includes('clusterIP'))).toBe(false)
  const [outlook] = result.controllers
  expect(outlook?.waits).toMatchObject({
    reason: 'ScopeChanged',
    command: 'kubectl -n openshift-ingress delete svc/router-edge',
  })
  expect(outlook?.waits?.revert).toContain('"scope":"External"')
  expect(outlook?.addresses).toEqual({
    before: ['a1b2-17.us-east-1.elb.amazonaws.com'],
    after: ['<given by the cloud>'],
    decidedBy: 'cloud',
  })
  expect(outlook?.ingresses).toEqual({ count: 2, hosts: ['a.example'] })
  expect(outlook?.interruptions).toHaveLength(1)
})

test('A plan of another scope changes the Service in place on Azure and interrupts nothing', () => {
  const scene = anIngressController().on('Azure').scoped('External').published()
  const result = planOf(scene, scoped('Internal'))
  expect(signs(result)).toEqual(['~ IngressController edge at once', '~ Service router-edge at once'])
  expect(result.changes[1]).toMatchObject({ disruption: 'reconfigures' })
  expect(result.controllers).toMatchObject([
    { waits: undefined, interruptions: [], addresses: { decidedBy: 'cloud' } },
  ])
})

test('A plan of another scope replaces the Service at once with the annotation', () => {
  const scene = anIngressController()
    .on('AWS')
    .scoped('External')
    .annotated({ [autoDeleteAnnotation]: '' })
    .published()
  const result = planOf(scene, scoped('Internal'))
  expect(signs(result)).toContain('-/+ Service router-edge at once')
  expect(result.controllers).toMatchObject([
    { waits: undefined, interruptions: [expect.stringContaining('replaced')] },
  ])
})

test('A plan of another scope reports that it is not supported on the platform, and changes nothing', () => {
  const scene = anIngressController().on('BareMetal').scoped('External').published()
  const result = planOf(scene, scoped('Internal'))
  expect(signs(result)).toEqual(['~ IngressController edge at once'])
  expect(result.controllers[0]?.problems).toMatchObject([{ condition: 'Admitted', reason: 'Invalid' }])
})

const nodes = [aNode('n1'), aNode('n2')]
const host = (name: string, hostNetwork?: object) =>
  ({
    metadata: { namespace, name },
    spec: {
      domain: `${name}.example`,
      replicas: 2,
      endpointPublishingStrategy: { type: 'HostNetwork', ...(hostNetwork && { hostNetwork }) },
    },
  }) as WantedController
const both = (other: WantedController) => {
  const scene = onHostPorts({ httpPort: 1080, httpsPort: 1443, statsPort: 1937 }).published()
  scene.nodes = nodes as never
  return planOf(scene, {}, { wanted: [host('public'), other] })
}

test('A plan of host ports reports the conflict of two new IngressControllers for the second', () => {
  const problems = both(host('internal')).controllers.map((each) => [each.name, each.problems])
  expect(problems).toEqual([
    ['public', []],
    [
      'internal',
      [
        {
          condition: 'PortsAvailable',
          reason: 'PortsTaken',
          message: expect.stringMatching(/ports 80 .* of IngressController "public".*free on all/) as string,
        },
      ],
    ],
  ])
})

test('A plan of host ports has no conflict for IngressControllers with different ports', () => {
  const { controllers } = both(host('internal', { httpPort: 8080, httpsPort: 8443, statsPort: 8936 }))
  expect(controllers.map(({ name, problems }) => [name, problems])).toEqual([
    ['public', []],
    ['internal', []],
  ])
})

test('A plan of host ports reports a port that another pod uses on every node', () => {
  const scene = onHostPorts().published()
  scene.nodes = nodes as never
  scene.hostPortPods = [1, 2].flatMap((number) => [
    aRouterPod('third', number, { node: `n${number}` }),
    aPod(`web-${number}`, { node: `n${number}`, ports: [8080] }),
  ]) as never
  const result = planOf(scene, { endpointPublishingStrategy: { hostNetwork: { httpPort: 8080 } } })
  expect(result.controllers[0]).toMatchObject({
    problems: [{ reason: 'PortsTaken', message: expect.stringContaining('pod default/web-1') as string }],
    interruptions: [expect.stringContaining('no longer be available')],
  })
  expect(result.changes).toContainEqual(
    expect.objectContaining({ kind: 'Deployment', disruption: 'reconfigures' }),
  )
})

test('A plan of more routers uses the free nodes, where completed pods use no port', () => {
  const scene = onHostPorts().published()
  const hash = scene.deployment.spec.template.metadata.labels[templateHashLabel] as string
  scene.nodes = [aNode('n1'), aNode('n2'), aNode('n3')] as never
  scene.hostPortPods = [
    aRouterPod('third', 1, { node: 'n1', hash }),
    aRouterPod('third', 2, { node: 'n2', hash }),
    aPod('job', { node: 'n3', ports: [80], phase: 'Succeeded' }),
  ] as never
  const problemsOf = (replicas: number) => planOf(scene, { replicas }).controllers[0]?.problems
  expect(problemsOf(3)).toEqual([])
  expect(problemsOf(4)).toMatchObject([{ condition: 'PodsScheduled', reason: 'TooFewNodes' }])
})

test('A plan of other host ports changes Ingresses but no DNS name', () => {
  const scene = onHostPorts().published()
  scene.nodes = [
    { ...aNode('n1'), status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } },
  ] as never
  const routers = [aRouterPod('third', 1, { node: 'n1' })] as never[]
  scene.hostPortPods = routers.map((pod: object) => ({
    ...pod,
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })) as never
  const more = { Ingress: [anIngress('a', 'a.example', 'portcullis-third')] }
  const result = planOf(scene, { endpointPublishingStrategy: { hostNetwork: { httpPort: 8080 } } }, { more })
  expect(result.controllers[0]).toMatchObject({
    addresses: { before: ['10.0.0.1'], after: ['10.0.0.1'] },
    ingresses: { count: 1, hosts: [] },
  })
})

test('A plan from a load balancer to node ports and to Private shows the remaining addresses', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  scene.nodes = [1, 2, 3].map((number) => ({
    ...aNode(`n${number}`),
    status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${number}` }] },
  })) as never
  const [toNodePorts, toNothing] = ['NodePortService', 'Private'].map(
    (type) => planOf(scene, { endpointPublishingStrategy: { type, loadBalancer: null } }).controllers[0],
  )
  expect(toNodePorts?.addresses).toMatchObject({ after: ['10.0.0.1', '10.0.0.2'], decidedBy: 'scheduler' })
  expect(toNothing?.addresses).toMatchObject({ after: [], decidedBy: undefined })
})

test('A plan of another strategy keeps the old one until the new one is ready, and the load balancer until the user confirms', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  scene.nodes = [aNode('n1'), aNode('n2')] as never
  const result = planOf(scene, { endpointPublishingStrategy: { type: 'HostNetwork', loadBalancer: null } })
  expect(signs(result)).toEqual([
    '~ IngressController edge at once',
    '~ Deployment router-edge at once',
    '- Service router-edge when you agree',
  ])
  expect(result.controllers[0]?.waits?.reason).toBe('TypeChanged')
})

test('A plan from host ports to a load balancer moves the routers once it has an address', () => {
  const scene = onHostPorts().on('AWS').published()
  scene.nodes = [aNode('n1'), aNode('n2')] as never
  scene.hostPortPods = [1, 2].map((number) => aRouterPod('third', number, { node: `n${number}` })) as never
  const result = planOf(scene, {
    endpointPublishingStrategy: {
      type: 'LoadBalancerService',
      loadBalancer: { scope: 'External' },
      hostNetwork: null,
    },
  })
  expect(signs(result)).toEqual([
    '~ IngressController third at once',
    '+ Service router-third at once',
    '~ Deployment router-third later',
  ])
})

test('A plan from node ports to a load balancer deletes the node ports, after clients could follow', () => {
  const scene = anIngressController()
    .on('AWS')
    .spec({ endpointPublishingStrategy: { type: 'NodePortService' } })
    .published()
  scene.nodes = [aNode('n1'), aNode('n2')] as never
  const result = planOf(scene, {
    endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } },
  })
  expect(signs(result)).toEqual([
    '~ IngressController edge at once',
    '+ Service router-edge at once',
    '~ Deployment router-edge later',
    '- Service router-nodeport-edge later',
  ])
  expect(result.controllers[0]?.waits).toBeUndefined()
})

test('A plan that frees a domain admits the IngressController that waits for it', () => {
  const scene = anIngressController().on('AWS').scoped('External').spec({ domain: 'a.example' }).published()
  const other = {
    ...scene.controller,
    metadata: { namespace, name: 'other', uid: 'u2', resourceVersion: '5' },
    status: {},
  }
  const objects = listedFrom(scene)
  const all = { ...objects, IngressController: [...(objects['IngressController'] ?? []), other] }
  const { controllers } = planOf(scene, { domain: 'b.example' }, { objects: all })
  expect(controllers.map(({ name }) => name)).toEqual(['edge', 'other'])
})

test('A plan notices that the operator has pending actions', () => {
  const scene = anIngressController().on('AWS').scoped('External')
  expect(planOf(scene, {})).toMatchObject({ isBehind: true })
})

/** A cluster whose one controller is being deleted. */
function whileDeleting() {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const leaving = {
    ...scene.controller,
    metadata: { ...scene.controller.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
  }
  return { scene, objects: { ...listedFrom(scene), IngressController: [leaving] } }
}

test('A plan of an IngressController that is being deleted reports that nothing will change', () => {
  const { scene, objects } = whileDeleting()
  const result = planOf(scene, scoped('Internal'), { objects })
  expect(signs(result)).toEqual(['~ IngressController edge at once'])
  expect(result.controllers).toMatchObject([
    { name: 'edge', isBeingDeleted: true, interruptions: [], problems: [] },
  ])
})

test('A plan of another IngressController ignores one that is being deleted', () => {
  const { scene, objects } = whileDeleting()
  const wanted = { metadata: { namespace, name: 'inner' }, spec: { domain: 'b.example' } } as WantedController
  const { changes } = planOf(scene, {}, { objects, wanted: [wanted] })
  expect(new Set(changes.map(({ controller }) => controller))).toEqual(new Set(['inner']))
})
