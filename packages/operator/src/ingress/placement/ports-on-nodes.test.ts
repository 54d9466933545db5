import type { Cached } from '@portcullis/kube'
import * as fc from 'fast-check'
import type { Pod } from 'kubernetes-types/core/v1'
import { expect, test } from 'vitest'
import { aNode, aPod, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import { templateHashLabel } from '../names.ts'
import { hostPortsOf } from './host-ports.ts'
import { heldByOthers } from './port-holders.ts'
import { portsOnNodes } from './ports-on-nodes.ts'

const ports = hostPortsOf({ type: 'HostNetwork' })

/** Of a controller whose Deployment wants one router, of the hash `new`. */
function portsOn(
  nodes: readonly string[],
  pods: readonly ReturnType<typeof aPod>[],
  wanted: { readonly replicas?: number | null; readonly hash?: string | null } = {},
) {
  const { replicas = 1, hash = 'new' } = wanted
  const scene = onHostPorts().spec({ replicas: 1 })
  scene.settle()
  scene.edit('Deployment', {
    spec: { replicas, template: { metadata: { labels: { [templateHashLabel]: hash } } } },
  })
  const all = nodes.map((name) => aNode(name))
  return portsOnNodes(inCluster(scene, all, pods).snapshot(), ports)
}

const older = (number: number, node = 'a') => aRouterPod('third', number, { node, hash: 'old' })
const ending = (number: number, node = 'a') => aRouterPod('third', number, { node, terminating: true })

test('The ports on nodes list each eligible node with the ports that others use there', () => {
  const web = aPod('web', { node: 'b', ports: [443] })
  expect(portsOn(['a', 'b'], [web])).toEqual([
    { node: 'a', held: [], ours: 'none' },
    { node: 'b', held: [{ port: ports[1], node: 'b', holder: web }], ours: 'none' },
  ])
})

test.each([
  ['none', 'no router', []],
  ['none', 'a router on another node', [aRouterPod('third', 1, { node: 'b' })]],
  ['none', 'a router on other ports', [aRouterPod('third', 1, { node: 'a', ports: [8080, 8443] })]],
  ['none', 'a router without ports of the node', [aRouterPod('third', 1, { node: 'a', ports: [] })]],
  ['running', 'a router with one of the ports', [aRouterPod('third', 1, { node: 'a', ports: [8080, 443] })]],
  ['running', 'an older router that nobody replaces yet', [older(1)]],
  ['running', 'an older router, while the one too many already ends', [older(1), ending(2, 'b')]],
  ['terminating', 'a router that ends', [ending(1)]],
  ['terminating', 'an older router, while there is one too many', [older(1), older(2, 'b')]],
  ['running', 'a router that ends and one that stays', [ending(1), older(2)]],
] as const)('The ports on nodes count our routers as "%s" when there is %s', (ours, _, pods) => {
  expect(portsOn(['a'], pods)).toMatchObject([{ ours }])
})

test('A Deployment without replicas counts as one replica', () => {
  expect(portsOn(['a'], [older(1), older(2, 'b')], { replicas: null })).toMatchObject([
    { ours: 'terminating' },
  ])
})

test('No router is older than a Deployment whose routers have no hash', () => {
  expect(portsOn(['a'], [older(1), older(2, 'b')], { hash: null })).toMatchObject([{ ours: 'running' }])
})

test('The ports on a node are held by the same pods whether one asks about all nodes or looks at every pod for each', () => {
  const names = ['a', 'b', 'c']
  const claims = fc.array(
    fc.record({
      node: fc.constantFrom(...names, 'elsewhere', undefined),
      ports: fc.constantFrom([80], [443, 1936], [8080], []),
      phase: fc.constantFrom('Running', 'Succeeded'),
      controller: fc.constantFrom('third', 'public', undefined),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(claims, (all) => {
      const pods = all.map(({ node, controller, ...claim }, number) =>
        aPod(`pod-${number}`, { ...claim, ...(node && { node }), ...(controller && { controller }) }),
      )
      const held = names.map((name) => heldByOthers(aNode(name), ports, pods, 'third'))
      expect(portsOn(names, pods).map((each) => each.held)).toEqual(held)
    }),
    { numRuns: 50 },
  )
})

test('The ports on nodes are found by looking at each pod a few times, however many nodes there are', () => {
  const count = 100
  const names = Array.from({ length: count }, (_, number) => `node-${number}`)
  let looks = 0
  const counted = (pod: Cached<Pod>): Cached<Pod> =>
    new Proxy(pod, {
      get: (target, field, receiver) => {
        looks++
        return Reflect.get(target, field, receiver)
      },
    })
  const scene = onHostPorts().spec({ replicas: count })
  scene.settle()
  const snapshot = inCluster(
    scene,
    names.map((name) => aNode(name)),
    [],
  ).snapshot()
  const pods = names.map((node, number) => counted(aRouterPod('public', number, { node })))
  const routers = names.map((node, number) => counted(aRouterPod('third', number, { node, ports: [8080] })))
  const crowded = { ...snapshot, hostPortPods: pods, pods: routers }
  expect(portsOnNodes(crowded, ports)).toHaveLength(count)
  expect(looks).toBeLessThan(20 * count)
  const before = looks
  portsOnNodes(crowded, ports)
  expect(looks - before).toBeLessThan(before)
})
