import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { AnyObject } from '../../testing/fake-api-server.ts'
import { aPod, aRouterPod } from '../../testing/nodes.ts'
import type { Scene } from '../../testing/scene.ts'
import { keptSourceRangesAnnotation, ownerLabel } from '../names.ts'
import { wantedStrategy } from '../strategies/wanted-strategy.ts'
import { decideOperands, ourDeployment } from './decide-operands.ts'
import { wantedReplicas } from './replicas.ts'

function decided(scene: Scene) {
  const snapshot = scene.snapshot()
  const strategy = wantedStrategy(snapshot)
  if (strategy === undefined) throw new Error('It is not known how to publish.')
  const wanted = { strategy, domain: 'apps.example.com', replicas: wantedReplicas(snapshot) }
  return decideOperands(snapshot, wanted)
}

const named = ({ actions }: ReturnType<typeof decided>) =>
  actions.map(({ do: verb, kind, object }) => `${verb} ${kind.kind} ${object.metadata.name}`)

const turnedTo = (scene: Scene, type: string) =>
  scene.spec({ endpointPublishingStrategy: { type, loadBalancer: null, nodePort: null, private: null } })
const publishedBy = (type: string) => turnedTo(anIngressController().on('AWS'), type)

const settled = (scene: Scene) => {
  scene.settle()
  return scene
}

const operands = [
  ['Service', 'router-internal-edge'],
  ['Service', 'router-nodeport-edge'],
  ['Deployment', 'router-edge'],
  ['IngressClass', 'portcullis-edge'],
  ['PodDisruptionBudget', 'router-edge'],
] as const

test('An operand that is missing is created, Services first', () => {
  const all = operands.map(([kind, name]) => `create ${kind} ${name}`)
  expect(named(decided(publishedBy('NodePortService')))).toEqual(all)
  expect(named(decided(publishedBy('Private')))).toEqual(all.toSpliced(1, 1))
})

test('The node port Service is an operand that only the routers depend on', () => {
  const needed = decided(publishedBy('NodePortService')).actions.map(({ kind, dependsOn }) => [
    kind.kind,
    dependsOn.map(({ kind: { kind: needs }, ref }) => [needs, ref]),
  ])
  const service = ['Service', { namespace: 'openshift-ingress', name: 'router-nodeport-edge' }]
  expect(needed).toEqual(operands.map(([kind]) => [kind, kind === 'Deployment' ? [service] : []]))
})

test('An operand that matches the spec is left alone', () => {
  expect(decided(settled(publishedBy('NodePortService')))).toMatchObject({ actions: [], unowned: [] })
})

test.each(operands)('An operand of another owner, the %s %s, is left alone and reported', (kind, name) => {
  const scene = settled(publishedBy('NodePortService'))
  scene.edit(kind, { metadata: { labels: { [ownerLabel]: 'another' } } }, { name })
  expect(decided(scene)).toMatchObject({ actions: [], unowned: [scene.server.get(kind, name)] })
})

test('The IngressClass of an IngressController in another namespace counts as one of another owner', () => {
  const scene = settled(publishedBy('Private'))
  const name = 'portcullis-edge'
  scene.edit('IngressClass', { spec: { parameters: { namespace: 'elsewhere' } } }, { name })
  expect(decided(scene)).toMatchObject({ actions: [], unowned: [scene.server.get('IngressClass', name)] })
})

test('The Deployment of an IngressController is managed only if it has its label', () => {
  const scene = publishedBy('Private')
  expect(ourDeployment(scene.snapshot())).toBeUndefined()
  scene.settle()
  expect(ourDeployment(scene.snapshot())).toBe(scene.deployment)
  scene.edit('Deployment', { metadata: { labels: { [ownerLabel]: 'another' } } })
  expect(ourDeployment(scene.snapshot())).toBeUndefined()
})

test.each([
  { from: { httpPort: 8080 }, to: { httpPort: 8081 }, disruption: 'reconfigures' },
  { from: { httpPort: 8080 }, to: undefined, disruption: 'reconfigures' },
  { from: undefined, to: { httpPort: 8080 }, disruption: 'none' },
])(
  'Routers that move from host ports $from to $to have the disruption $disruption',
  ({ from, to, disruption }) => {
    const strategy = (hostNetwork: object | undefined) => ({
      endpointPublishingStrategy: hostNetwork
        ? { type: 'HostNetwork', hostNetwork }
        : { type: 'Private', hostNetwork: null },
    })
    const scene = settled(anIngressController().on('None').spec(strategy(from)))
    scene.spec(strategy(to))
    expect(decided(scene).actions).toMatchObject([{ do: 'update', disruption }])
  },
)

describe('routers', () => {
  const variable = (scene: Scene, name: string) => {
    const all: { name: string; value: string }[] =
      settled(scene).deployment.spec.template.spec.containers[0].env
    return all.find((each) => each.name === name)?.value
  }
  const suited = (scene: Scene) => ({
    proxy: variable(scene, 'ROUTER_USE_PROXY_PROTOCOL'),
    timeout: variable(scene, 'ROUTER_DEFAULT_TUNNEL_TIMEOUT'),
  })
  const classic = { proxy: 'true', timeout: undefined }
  const network = { proxy: undefined, timeout: '349s' }
  const neither = { proxy: undefined, timeout: undefined }
  const asking = (type: string) => ({ scope: 'External', providerParameters: { type: 'AWS', aws: { type } } })
  const onAws = (type: string) => anIngressController().on('AWS').asking(asking(type))
  const addressOf = { Classic: 'a1-2.us-east-1.elb.amazonaws.com', NLB: 'a1-2.elb.us-east-1.amazonaws.com' }

  test.each([
    { there: 'Classic', wanted: 'NLB', suit: classic },
    { there: 'NLB', wanted: 'Classic', suit: network },
  ] as const)(
    'Routers fit the existing load balancer of type $there while $wanted is requested',
    ({ there, wanted, suit }) => {
      const scene = onAws(there).published(addressOf[there]).asking(asking(wanted))
      expect(suited(scene)).toEqual(suit)
    },
  )

  test.each([
    { before: 'NLB', wanted: 'Classic', suit: classic },
    { before: 'Classic', wanted: 'NLB', suit: network },
  ])(
    'Routers fit the future load balancer of type $wanted, also if its Service was created for $before',
    (types) => {
      const { before, wanted, suit } = types
      expect(suited(onAws(wanted))).toEqual(suit)
      expect(suited(settled(onAws(before)).asking(asking(wanted)))).toEqual(suit)
    },
  )

  test('Routers do not adapt to a load balancer that is not requested, or that another cloud provides', () => {
    expect(suited(publishedBy('Private'))).toEqual(neither)
    expect(suited(anIngressController().on('GCP').scoped('External'))).toEqual(neither)
    expect(suited(anIngressController().on('GCP').scoped('External').published())).toEqual(neither)
  })

  test.each([
    { pods: [], surge: 0 },
    { pods: [aRouterPod('edge', 1, { node: 'a' })], surge: 0 },
    { pods: [aPod('router-edge-1', { node: 'a', terminating: true })], surge: 0 },
    { pods: [aPod('router-edge-1', { node: 'a' })], surge: '25%' },
    { pods: [aRouterPod('edge', 1, { node: 'a' }), aPod('router-edge-2', { node: 'b' })], surge: '25%' },
  ])('Routers on host ports have maxSurge $surge beside the pods that run', ({ pods, surge }) => {
    const scene = publishedBy('HostNetwork')
    scene.pods = [...pods] as unknown as AnyObject[]
    expect(settled(scene).deployment.spec.strategy.rollingUpdate.maxSurge).toBe(surge)
  })

  test('Routers are annotated with the source ranges of the Service, and keep them when it is deleted', () => {
    const scene = anIngressController().on('AWS').scoped('External').published()
    const noted = () => settled(scene).deployment.metadata.annotations?.[keptSourceRangesAnnotation]
    expect(noted()).toBeUndefined()
    scene.edit('Service', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'] } })
    expect(noted()).toBe('192.0.2.0/24,198.51.100.0/24')
    scene.remove('Service').edit('Service', { spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } })
    expect(noted()).toBe('192.0.2.0/24,198.51.100.0/24')
  })
})

describe('node ports', () => {
  const nodePorts = { name: 'router-nodeport-edge' }
  const retired = (scene: Scene) => decided(scene).actions.filter((action) => action.do === 'delete')

  test('Node ports are deleted with an event at once if no client outside is to come in any more', () => {
    const scene = turnedTo(settled(publishedBy('NodePortService')), 'Private')
    expect(decided(scene).requeueAt).toBeUndefined()
    expect(retired(scene)).toMatchObject([
      {
        kind: { kind: 'Service' },
        object: { metadata: nodePorts },
        event: { type: 'Normal', reason: 'ServiceDeleted', action: 'DeleteService' },
      },
    ])
  })

  test('Node ports stay while they are requested, or until the new strategy is ready', () => {
    const scene = settled(publishedBy('NodePortService'))
    expect(retired(scene)).toEqual([])
    expect(retired(turnedTo(scene, 'LoadBalancerService'))).toEqual([])
  })

  test('Node ports stay until clients could follow to the host ports, and the decision says until when', () => {
    const scene = settled(turnedTo(settled(publishedBy('NodePortService')), 'HostNetwork'))
    expect(decided(scene)).toMatchObject({ actions: [], oldWayGoesAt: undefined, requeueAt: undefined })
    settled(scene.routersRun())
    const goesAt = new Date(scene.server.now.getTime() + 60_000)
    expect(decided(scene)).toMatchObject({ actions: [], oldWayGoesAt: goesAt, requeueAt: goesAt })
    expect(scene.decide().requeueAt).toEqual(goesAt)
    expect(retired(scene.later(60))).toMatchObject([{ object: { metadata: nodePorts } }])
    expect(decided(scene).requeueAt).toBeUndefined()
  })

  test('Node ports stay if no other strategy is requested', () => {
    const scene = settled(publishedBy('NodePortService'))
    scene.edit('IngressController', {
      spec: { endpointPublishingStrategy: null },
      status: { endpointPublishingStrategy: { type: 'Private', nodePort: null } },
    })
    expect(retired(scene)).toEqual([])
  })

  test('Node ports of another owner stay', () => {
    const scene = settled(publishedBy('NodePortService'))
    scene.edit('Service', { metadata: { labels: { [ownerLabel]: 'another' } } }, nodePorts)
    expect(retired(turnedTo(scene, 'Private'))).toEqual([])
  })

  test('Node ports that are terminating are not deleted again', () => {
    const scene = settled(publishedBy('NodePortService'))
    scene.edit('Service', { metadata: { finalizers: ['example.com/mine'] } }, nodePorts)
    scene.remove('Service', nodePorts.name)
    expect(retired(turnedTo(scene, 'Private'))).toEqual([])
  })
})
