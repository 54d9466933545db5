import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { type Condition, transitionKey } from '../conditions/summary-conditions.ts'
import { decide } from '../decide.ts'
import { autoDeleteAnnotation, ownerLabel } from '../names.ts'

const turnTo = (scene: Scene, type: string) =>
  scene.spec({
    endpointPublishingStrategy: {
      type,
      loadBalancer: type === 'LoadBalancerService' ? { scope: 'External' } : null,
      hostNetwork: null,
    },
  })

/** By a cloud whose load balancers send no PROXY header. */
const publishedAs = (type: string, platform = 'Azure') =>
  turnTo(anIngressController().on(platform).spec({ replicas: 2 }), type).published()
const nodePorts = (scene: Scene) => scene.server.get('Service', 'router-nodeport-edge')
const deletions = (scene: Scene) => scene.decide().actions.filter((action) => action.do === 'delete')
const settled = (scene: Scene) => {
  scene.settle()
  return scene
}
const secondsUntilRequeue = (scene: Scene) => {
  const { requeueAt } = scene.settle()
  return requeueAt && (requeueAt.getTime() - scene.server.now.getTime()) / 1000
}

/** What goes, once clients could follow. */
function expectToGoAfter(seconds: number, scene: Scene): void {
  expect(secondsUntilRequeue(scene)).toBe(seconds)
  scene.later(seconds - 1).settle()
  expect(deletions(scene)).toEqual([])
  expect(deletions(scene.later(1))).toHaveLength(1)
}

describe('from NodePortService to LoadBalancerService', () => {
  const turned = (platform?: string) =>
    turnTo(publishedAs('NodePortService', platform), 'LoadBalancerService')
  const provided = (platform?: string) => settled(turned(platform)).cloudProvides('203.0.113.7')

  test('Node ports go a minute after the load balancer has become ready, with the cause in an event', () => {
    expect(secondsUntilRequeue(turned())).not.toBe(60)
    const scene = provided()
    expectToGoAfter(60, scene)
    expect(deletions(scene)).toMatchObject([
      {
        disruption: 'interrupts',
        event: { note: expect.stringContaining('now requests LoadBalancerService') },
      },
    ])
    expect(nodePorts(settled(scene))).toBeUndefined()
  })

  test('The minute begins anew when the load balancer is not ready in between', () => {
    const scene = settled(provided()).later(59)
    settled(scene.cloudSays('SyncLoadBalancerFailed', 'quota exceeded'))
    expect(deletions(scene.later(600))).toEqual([])
    settled(scene.cloudSays('EnsuredLoadBalancer'))
    expectToGoAfter(60, scene)
  })

  test('Node ports stay until all routers speak the protocol of the load balancer', () => {
    const scene = settled(provided('AWS')).later(60)
    expect(deletions(settled(scene))).toEqual([])
    scene.routersRun(2)
    expect(deletions(scene)).toHaveLength(1)
  })

  test('Node ports stay while the routers that are rolled out do not speak the protocol of the load balancer', () => {
    const scene = settled(provided('AWS'))
    const [router] = scene.deployment.spec.template.spec.containers
    scene.edit('Deployment', { spec: { template: { spec: { containers: [{ ...router, env: [] }] } } } })
    scene.routersRun(2).later(600)
    expect(deletions(scene)).toEqual([])
  })

  test('Node ports stay while it is not known what the load balancer requires of routers', () => {
    const scene = provided()
    scene.platform = { problem: 'The platform of the cluster cannot be determined.' }
    settled(scene).later(600)
    expect(deletions(scene)).toEqual([])
  })

  test('Node ports stay while the load balancer is terminating', () => {
    const scene = settled(turnTo(publishedAs('LoadBalancerService'), 'NodePortService')).remove('Service')
    turnTo(scene, 'LoadBalancerService').settle()
    scene.later(60).settle()
    expect(scene.service.metadata.deletionTimestamp).toBeDefined()
    expect(nodePorts(scene)).toBeDefined()
  })

  test('Node ports stay while another owner has the Deployment of the routers', () => {
    const scene = provided()
    settled(scene.edit('Deployment', { metadata: { labels: { [ownerLabel]: 'another' } } }))
    expect(deletions(scene.later(600))).toEqual([])
  })

  test('Node ports stay while the Deployment of the routers is terminating', () => {
    const scene = provided()
    settled(scene.edit('Deployment', { metadata: { finalizers: ['example.com/any'] } }).remove('Deployment'))
    expect(deletions(scene.later(600))).toEqual([])
  })
})

describe('from NodePortService to HostNetwork', () => {
  const turned = () => settled(turnTo(publishedAs('NodePortService'), 'HostNetwork'))
  const status = (scene: Scene, given: object) => {
    const { generation } = scene.deployment.metadata
    const all = { observedGeneration: generation, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }
    return settled(scene.edit('Deployment', { status: { ...all, ...given } }, { manager: 'kcm' }))
  }

  test('Node ports go a minute after all routers are on the host ports', () => {
    const scene = settled(turned().routersRun(1).later(600))
    expect(deletions(scene)).toEqual([])
    expectToGoAfter(60, scene.routersRun(2))
  })

  test.each([
    ['an older generation was rolled out', { observedGeneration: 0 }, true],
    ['none of them is available', { availableReplicas: 0 }, true],
    ['routers of before still run', { replicas: 3 }, true],
    ['one of two is missing, and may be for good', { availableReplicas: 1 }, false],
  ])('Node ports stay or go with the rollout of the routers to host ports: %s', (_, given, stay) => {
    const scene = status(turned(), given)
    expect(deletions(scene.later(600))).toEqual([])
    expect(nodePorts(scene) !== undefined).toBe(stay)
  })

  test('Node ports stay while the routers that are rolled out do not use the host ports', () => {
    const scene = turned()
    scene.edit('Deployment', { spec: { template: { spec: { hostNetwork: null } } } })
    scene.routersRun(2).later(600)
    expect(deletions(scene)).toEqual([])
  })

  test('Node ports go without any router if spec.replicas is 0', () => {
    const scene = turnTo(publishedAs('NodePortService').spec({ replicas: 0 }), 'HostNetwork')
    settled(settled(scene).routersRun(0)).later(59)
    expect(deletions(settled(scene))).toEqual([])
    expect(deletions(scene.later(1))).toHaveLength(1)
  })
})

describe('from NodePortService to Private', () => {
  test('Node ports go at once, as no client outside is to come in any more', () => {
    const scene = turnTo(publishedAs('NodePortService'), 'Private')
    expect(deletions(scene)).toHaveLength(1)
  })

  test('Node ports stay if another owner has the Service', () => {
    const scene = publishedAs('NodePortService')
    scene.edit('Service', { metadata: { labels: { [ownerLabel]: null } } }, { name: 'router-nodeport-edge' })
    turnTo(scene, 'Private').settle()
    expect(nodePorts(scene)).toBeDefined()
  })
})

describe('from LoadBalancerService to NodePortService, with consent', () => {
  const turned = () =>
    turnTo(
      publishedAs('LoadBalancerService').annotated({ [autoDeleteAnnotation]: '' }),
      'NodePortService',
    ).later(3600)

  test('The load balancer goes a minute after the change', () => {
    expectToGoAfter(60, turned())
  })

  test('The load balancer stays for longer if routers are still being rolled out', () => {
    const scene = turned().spec({ endpointPublishingStrategy: { nodePort: { protocol: 'PROXY' } } })
    expect(deletions(settled(scene).later(600))).toEqual([])
    scene.routersRun(2)
    expect(deletions(scene)).toHaveLength(1)
  })

  test('The load balancer goes a minute after the change also if both ways speak the PROXY protocol', () => {
    const scene = publishedAs('LoadBalancerService', 'AWS').annotated({ [autoDeleteAnnotation]: '' })
    turnTo(scene, 'NodePortService').spec({ endpointPublishingStrategy: { nodePort: { protocol: 'PROXY' } } })
    expectToGoAfter(60, scene)
  })

  test('The minute counts since this process has observed the change, whatever time another wrote', () => {
    const scene = settled(turned()).later(3600)
    const snapshot = scene.snapshot()
    const managed = scene.condition('LoadBalancerManaged') as Condition
    const observed = new Map([[transitionKey(managed), new Date(snapshot.now.getTime() - 10_000)]])
    const { actions, requeueAt } = decide({ ...snapshot, conditionsObservedSince: observed })
    expect(actions).toEqual([])
    expect(requeueAt).toEqual(new Date(snapshot.now.getTime() + 50_000))
    expect(decide(snapshot).actions).toMatchObject([{ do: 'delete' }])
  })

  test('The load balancer stays while the Service of the node ports is terminating', () => {
    const scene = settled(turned())
    scene.edit('Service', { metadata: { finalizers: ['a.b/c'] } }, { name: 'router-nodeport-edge' })
    settled(scene.remove('Service', 'router-nodeport-edge'))
    expect(deletions(scene.later(600))).toEqual([])
  })

  test('How long the old way in stays is a setting', () => {
    const scene = turned()
    scene.settings = { ...scene.settings, clientsFollowSeconds: 5 }
    expectToGoAfter(5, scene)
  })
})
