import { keyOf } from '@portcullis/kube'
import { VirtualClock } from '@portcullis/kube/testing'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { aNode, aPod, aRouterPod, inCluster, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'
import { unplacedRouters } from './conditions/pods.ts'
import { IngressMetrics } from './metrics.ts'

const nodes = [aNode('a'), aNode('b')]
const waits = (words = 'no free ports') => aRouterPod('third', 2, { words })
const runs = aRouterPod('third', 1, { node: 'a' })
const holder = aRouterPod('public', 1, { node: 'b' })

/** The Events that are recorded when the conditions become so. */
function news(scene: Scene): string[] {
  const reasons = scene.decide().events.map(({ reason }) => reason)
  scene.settle()
  return reasons
}

describe('events', () => {
  test('Events report a conflict once, whatever the scheduler says next', () => {
    const scene = inCluster(onHostPorts(), nodes, [runs])
    scene.settle()
    expect(news(inCluster(scene, nodes, [runs, waits(), holder]))).toEqual(['PortConflict'])
    expect(news(inCluster(scene, nodes, [runs, waits('still no free ports'), holder]))).toEqual([])
    expect(news(scene.later(100))).toEqual([])
  })

  test('Events report a conflict once, although two conditions know of it', () => {
    const scene = inCluster(onHostPorts(), [aNode('b')], [])
    scene.settle()
    expect(news(inCluster(scene, [aNode('b')], [holder]))).toEqual(['PortsTaken'])
    expect(news(inCluster(scene, [aNode('b')], [holder, waits()]))).toEqual([])
  })

  test('Events do not repeat the old words of the scheduler when the port is free again', () => {
    const scene = inCluster(onHostPorts(), nodes, [runs, waits(), holder])
    scene.settle()
    expect(news(inCluster(scene, nodes, [runs, waits()]))).toEqual([])
    expect(news(inCluster(scene, nodes, [runs, aRouterPod('third', 2, { node: 'b' })]))).toEqual([])
  })

  test('Events report the next conflict again', () => {
    const scene = inCluster(onHostPorts(), nodes, [runs, waits(), holder])
    scene.settle()
    inCluster(scene, nodes, [runs]).settle()
    expect(news(inCluster(scene, nodes, [runs, waits(), holder]))).toEqual(['PortConflict'])
  })

  test('Events report a port that the cluster itself uses', () => {
    const scene = inCluster(onHostPorts(), nodes, [])
    scene.settle()
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 6443 } } })
    const [warning] = scene.decide().events.filter(({ reason }) => reason === 'PortReserved')
    expect(warning).toMatchObject({
      type: 'Warning',
      note: expect.stringContaining('the Kubernetes API server'),
    })
  })

  test('Events warn that the health port moves', () => {
    const scene = inCluster(onHostPorts(), nodes, [])
    scene.settle()
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { statsPort: 8936 } } })
    const [warning] = scene.decide().events.filter(({ reason }) => reason === 'HealthPortMoves')
    expect(warning).toMatchObject({ type: 'Warning', note: expect.stringContaining('from 1936 to 8936') })
  })

  test('Events report once a router that cannot bind its port, however often it tries', () => {
    const ended = { terminated: { exitCode: 1, message: 'listen tcp :80: bind: address already in use' } }
    const as = (container: object) => [aRouterPod('third', 1, { node: 'a', container })]
    const scene = inCluster(onHostPorts(), nodes, [])
    scene.settle()
    expect(news(inCluster(scene, nodes, as({ ready: false, restartCount: 1, state: ended })))).toEqual([
      'PortInUse',
    ])
    const since = scene.condition('PodsStarted').lastTransitionTime
    for (const state of [
      { running: {} },
      ended,
      { waiting: { reason: 'CrashLoopBackOff' } },
      { running: {} },
    ]) {
      inCluster(
        scene.later(10),
        nodes,
        as({ ready: false, started: false, restartCount: 2, state, lastState: ended }),
      )
      expect(news(scene)).toEqual([])
    }
    expect(scene.condition('PodsStarted')).toMatchObject({ status: 'False', lastTransitionTime: since })
    scene.later(30).settle()
    expect(scene.condition('Degraded').message).toContain('PodsStarted=False (PortInUse)')
  })
})

test('The rollout reports on which ports health is answered meanwhile', () => {
  const scene = inCluster(onHostPorts({ statsPort: 8936 }), nodes, [
    aRouterPod('third', 1, { node: 'a' }),
    aRouterPod('third', 2, { node: 'b', ports: [80, 443, 8936] }),
  ])
  for (const pod of scene.pods) {
    pod.spec = {
      ...pod.spec,
      containers: [{ name: 'router', ports: [{ ...pod.spec.containers[0].ports[2], name: 'metrics' }] }],
    }
  }
  scene.settle()
  expect(scene.condition('Progressing').message).toContain('routers answer on 1936 or 8936')
})

describe('metrics', () => {
  test('Metrics count routers without a node by cause, and drop them', async () => {
    const registry = new Registry()
    const metrics = new IngressMetrics({ registry, clock: new VirtualClock() })
    const key = keyOf({ namespace: 'openshift-ingress-operator', name: 'third' })
    const counted = async (scene: Scene) => {
      const { status } = scene.settle()
      if (status !== undefined)
        metrics.report(key, status, { unplaced: unplacedRouters(scene.snapshot()).length })
      const all = (await registry.metrics()).split('\n')
      return all.filter((line) => line.startsWith('portcullis_ingress_controller_unplaced_routers{'))
    }
    const named = (cause: string, count: number) => [
      `portcullis_ingress_controller_unplaced_routers{name="third",cause="${cause}"} ${count}`,
    ]
    const scene = inCluster(onHostPorts(), nodes, [waits(), aRouterPod('third', 3, { words: '' }), holder])
    expect(await counted(scene)).toEqual(named('PortConflict', 2))
    expect(await counted(inCluster(scene, nodes, [runs, waits()]))).toEqual(named('Unschedulable', 1))
    expect(await counted(inCluster(scene, [aNode('a')], [runs, waits()]))).toEqual(named('TooFewNodes', 1))
    expect(await counted(inCluster(scene, nodes, [runs]))).toEqual([])
    expect(await counted(inCluster(scene, nodes, [waits(), aPod('x', { node: 'a', ports: [80] })]))).toEqual(
      named('Unschedulable', 1),
    )
    metrics.forget(key)
    expect(await registry.metrics()).not.toContain('name="third"')
  })
})
