import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { autoDeleteAnnotation, ownerLabel } from '../names.ts'

const members = {
  LoadBalancerService: 'loadBalancer',
  HostNetwork: 'hostNetwork',
  NodePortService: 'nodePort',
  Private: 'private',
} as const
type Type = keyof typeof members
const types = Object.keys(members) as Type[]

function turnTo(scene: Scene, type: Type, member?: object): Scene {
  const others = Object.values(members).map((other) => [other, null])
  const own = type === 'LoadBalancerService' ? { scope: 'External' } : undefined
  return scene.spec({
    endpointPublishingStrategy: {
      ...Object.fromEntries(others),
      type,
      [members[type]]: member ?? own ?? null,
    },
  })
}

const publishedAs = (type: Type, member?: object) =>
  turnTo(anIngressController().on('AWS').spec({ replicas: 2 }), type, member).published()

const address = 'a1b2-17.us-east-1.elb.amazonaws.com'
const nodePorts = (scene: Scene) => scene.server.get('Service', 'router-nodeport-edge')
const loadBalancer = (scene: Scene) => scene.server.get('Service', 'router-edge')
/** What was added later stands further down: that makes no difference. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(inOrder).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([field, part]) => [field, inOrder(part)]))
}
const podSpec = (scene: Scene) => scene.deployment.spec.template.spec

describe.each(types)('from %s', (from) => {
  test.each(types.filter((to) => to !== from))(
    'A change to %s ends in the same state as a new IngressController',
    (to) => {
      const scene = turnTo(publishedAs(from).annotated({ [autoDeleteAnnotation]: '' }), to)
      for (let step = 0; step < 3; step++) {
        scene.settle()
        if (to === 'LoadBalancerService' && !scene.service.status) scene.cloudProvides(address)
        if (to !== 'LoadBalancerService' && loadBalancer(scene)?.metadata.deletionTimestamp)
          scene.cloudRemoves()
        scene.routersRun().settle()
        scene.later(60).settle()
      }
      const fresh = publishedAs(to)
      expect(inOrder(scene.deployment.spec)).toEqual(inOrder(fresh.deployment.spec))
      expect(loadBalancer(scene)?.spec.ports).toEqual(loadBalancer(fresh)?.spec.ports)
      expect(nodePorts(scene)?.spec).toEqual(nodePorts(fresh)?.spec)
      expect(scene.controller.status.endpointPublishingStrategy).toEqual(
        fresh.controller.status.endpointPublishingStrategy,
      )
      expect(scene.condition('LoadBalancerProgressing').status).toBe('False')
    },
  )
})

describe('a change from HostNetwork', () => {
  test('A change from HostNetwork keeps the routers on the host ports until the load balancer has an address', () => {
    const scene = turnTo(
      publishedAs('HostNetwork', { httpPort: 8080, httpsPort: 8443, protocol: 'PROXY' }),
      'LoadBalancerService',
    )
    const before = podSpec(scene).containers[0]
    scene.settle()
    expect(loadBalancer(scene)).toBeDefined()
    expect(podSpec(scene).containers[0]).toEqual(before)
    expect(podSpec(scene).hostNetwork).toBe(true)
    expect(podSpec(scene).containers[0].ports[0]).toMatchObject({ hostPort: 8080 })
    expect(podSpec(scene).containers[0].env).toContainEqual({
      name: 'ROUTER_USE_PROXY_PROTOCOL',
      value: 'true',
    })
    scene.cloudProvides(address).settle()
    expect(podSpec(scene).hostNetwork).toBeUndefined()
    expect(podSpec(scene).containers[0].ports[0]).not.toHaveProperty('hostPort')
  })

  test('A change from HostNetwork keeps the routers on the host ports while the load balancer is terminating', () => {
    const scene = turnTo(publishedAs('LoadBalancerService'), 'HostNetwork')
    scene.settle()
    scene.remove('Service').settle()
    turnTo(scene, 'LoadBalancerService').settle()
    expect(podSpec(scene).hostNetwork).toBe(true)
  })

  test('A change from HostNetwork does not make routers expect PROXY protocol headers early', () => {
    const scene = publishedAs('HostNetwork')
    const before = podSpec(scene).containers[0]
    turnTo(scene, 'LoadBalancerService').settle()
    expect(podSpec(scene).containers[0]).toEqual(before)
  })

  test('A change from HostNetwork creates the node port Service before the routers move', () => {
    const actions = turnTo(publishedAs('HostNetwork'), 'NodePortService').decide().actions
    const what = actions.map((action) => `${action.do} ${action.kind.kind}`)
    expect(what).toEqual(['create Service', 'update Deployment'])
  })

  test.each(['NodePortService', 'Private'] as const)(
    'A change from HostNetwork to %s reports that the routers move',
    (to) => {
      const moves = turnTo(publishedAs('HostNetwork'), to).decide().actions.at(-1)
      expect(moves).toMatchObject({ do: 'update', disruption: 'reconfigures' })
    },
  )

  test('A change of a host port is disruptive', () => {
    const scene = turnTo(publishedAs('HostNetwork'), 'HostNetwork', { statsPort: 8936 })
    expect(scene.decide().actions).toMatchObject([{ do: 'update', disruption: 'reconfigures' }])
  })

  test('A change of anything else of routers is not disruptive', () => {
    const scene = publishedAs('HostNetwork').spec({ httpHeaders: { forwardedHeaderPolicy: 'Never' } })
    expect(scene.decide().actions).toMatchObject([
      { do: 'update', kind: { kind: 'Service' }, disruption: 'none' },
      { do: 'update', kind: { kind: 'Deployment' }, disruption: 'none' },
    ])
  })
})

test('A change to HostNetwork is not disruptive if no router leaves a host port', () => {
  const scene = turnTo(publishedAs('Private'), 'HostNetwork')
  const update = scene.decide().actions.find(({ kind }) => kind.kind === 'Deployment')
  expect(update).toMatchObject({ do: 'update', disruption: 'none' })
})

describe('a change from NodePortService to LoadBalancerService', () => {
  const proxy = { name: 'ROUTER_USE_PROXY_PROTOCOL', value: 'true' }

  test('A change from NodePortService to LoadBalancerService leaves the routers as they are until the load balancer has an address', () => {
    const scene = turnTo(publishedAs('NodePortService'), 'LoadBalancerService')
    const before = publishedAs('NodePortService').deployment.spec
    scene.settle()
    expect(loadBalancer(scene)).toBeDefined()
    expect(inOrder(scene.deployment.spec)).toEqual(inOrder(before))
    scene.cloudProvides(address).settle()
    expect(podSpec(scene).containers[0].env).toContainEqual(proxy)
  })

  test('A change from NodePortService to LoadBalancerService keeps the PROXY protocol of the node ports until then', () => {
    const scene = publishedAs('NodePortService', { protocol: 'PROXY' })
    expect(podSpec(scene).containers[0].env).toContainEqual(proxy)
    turnTo(scene, 'LoadBalancerService').settle()
    expect(podSpec(scene).containers[0].env).toContainEqual(proxy)
  })

  test.each([
    ['is of another owner', { metadata: { labels: { [ownerLabel]: null } } }],
    ['is terminating', { metadata: { finalizers: ['example.com/any'] } }],
  ])(
    'A change from NodePortService to LoadBalancerService does not wait if the node port Service %s',
    (what, patch) => {
      const scene = publishedAs('NodePortService')
      scene.edit('Service', patch, { name: 'router-nodeport-edge' })
      if (what === 'is terminating') scene.remove('Service', 'router-nodeport-edge')
      turnTo(scene, 'LoadBalancerService').settle()
      expect(podSpec(scene).containers[0].env).toContainEqual(proxy)
    },
  )
})
