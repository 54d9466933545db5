import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { aNode, aPod, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import type { Scene } from '../../testing/scene.ts'

const address = '203.0.113.7'
const nodes = (...names: string[]) => names.map((name) => aNode(name))
/** A router for each node, on these ports. */
const routersOn = (names: readonly string[], ports?: readonly number[]) =>
  names.map((node, number) => aRouterPod('third', number, { node, ...(ports && { ports }) }))
const turnTo = (scene: Scene, type: string, member: object = {}) =>
  scene.spec({ endpointPublishingStrategy: { hostNetwork: null, ...member, type } })
const updateOf = (scene: Scene) => {
  scene.settle()
  return scene.deployment.spec.strategy.rollingUpdate
}
const beside = { maxSurge: '25%', maxUnavailable: 0 }

/** Routers on host ports that are to be reached by a load balancer, which is there. */
function leavingHostPorts(replicas: number): Scene {
  const scene = onHostPorts().on('GCP').spec({ replicas: null }).spec({ replicas })
  scene.published()
  turnTo(scene, 'LoadBalancerService', { loadBalancer: { scope: 'External' } }).settle()
  return scene.cloudProvides(address)
}

test.each([1, 2, 3, 12])(
  'No old router leaves the host ports before a new one is available, with %i routers',
  (replicas) => {
    const names = Array.from({ length: replicas }, (_, number) => `node-${number}`)
    const scene = leavingHostPorts(replicas)
    expect(updateOf(inCluster(scene, nodes(...names), routersOn(names)))).toEqual(beside)
  },
)

test('A rollout to another strategy is as any other once no old router is left', () => {
  const scene = leavingHostPorts(2)
  const usual = { maxSurge: '25%', maxUnavailable: '50%' }
  const fresh = aRouterPod('third', 9, { node: 'a', ports: [] })
  const old = aRouterPod('third', 1, { node: 'a' })
  expect(updateOf(inCluster(scene, nodes('a', 'b'), [old, fresh]))).toEqual(beside)
  const terminating = aRouterPod('third', 1, { node: 'a', terminating: true })
  const evicted = aRouterPod('third', 2, { node: 'b', phase: 'Failed' })
  const waiting = aRouterPod('third', 3, {})
  expect(updateOf(inCluster(scene, nodes('a', 'b'), [terminating, evicted, waiting, fresh]))).toEqual(usual)
})

test('As many old routers leave the host ports at once as can have no node', () => {
  const scene = inCluster(leavingHostPorts(3), nodes('a', 'b'), routersOn(['a', 'b']))
  expect(updateOf(scene)).toEqual({ maxSurge: '25%', maxUnavailable: 1 })
})

test('Routers stay until others have taken the host ports', () => {
  const scene = anIngressController('third').on('GCP').spec({ replicas: 2 })
  turnTo(scene, 'Private').published()
  turnTo(inCluster(scene, nodes('a', 'b'), routersOn(['a', 'b'], [])), 'HostNetwork')
  expect(updateOf(scene)).toEqual(beside)
  expect(updateOf(inCluster(scene, nodes('a', 'b'), routersOn(['a', 'b'])))).toEqual({
    maxSurge: 0,
    maxUnavailable: '25%',
  })
})

test.each(['Private', 'LoadBalancerService'])(
  'Only as many routers as can have no node may be missing while others take the host ports of too few nodes, from %s',
  (from) => {
    const scene = anIngressController('third').on('GCP').spec({ replicas: 12 })
    const loadBalancer = from === 'Private' ? {} : { loadBalancer: { scope: 'External' } }
    turnTo(scene, from, loadBalancer).published()
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const old = routersOn([...names, 'a', 'b', 'c', 'd'], [])
    turnTo(inCluster(scene, nodes(...names), old), 'HostNetwork', { loadBalancer: null })
    expect(updateOf(scene)).toEqual({ maxSurge: '25%', maxUnavailable: 4 })
    const other = aPod('proxy', { node: 'h', ports: [443] })
    expect(updateOf(inCluster(scene, nodes(...names), [...old, other]))).toEqual({
      maxSurge: '25%',
      maxUnavailable: 5,
    })
    expect(updateOf(inCluster(scene, [], old))).toEqual(beside)
  },
)

test('Routers stay on host ports until others have taken other ones, if they share none', () => {
  const scene = inCluster(onHostPorts().published(), nodes('a', 'b'), routersOn(['a', 'b']))
  turnTo(scene, 'HostNetwork', { hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936 } })
  expect(updateOf(scene)).toEqual(beside)
})

/** Routers on a and b whose HTTP port alone changes: on one node there is room for one of both. */
function keepingSomePorts(names: readonly string[], others: ReturnType<typeof aPod>[] = []): Scene {
  const scene = onHostPorts().published()
  turnTo(scene, 'HostNetwork', { hostNetwork: { httpPort: 8080 } })
  return inCluster(scene, nodes(...names), [...routersOn(['a', 'b']), ...others])
}

test('A router leaves a port that its successor needs first only where no other node is free', () => {
  expect(updateOf(keepingSomePorts(['a', 'b']))).toEqual({ maxSurge: 0, maxUnavailable: '25%' })
  expect(updateOf(keepingSomePorts(['a', 'b', 'c']))).toEqual({ maxSurge: 1, maxUnavailable: 0 })
})

test('A node on which others have a port of the routers is not free', () => {
  const other = aPod('proxy', { node: 'c', ports: [443] })
  expect(updateOf(keepingSomePorts(['a', 'b', 'c'], [other]))).toEqual({
    maxSurge: 0,
    maxUnavailable: '25%',
  })
})

test('Routers surge by no more than there are free nodes, and by no more than a quarter', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const surgeWith = (spare: readonly string[]) => {
    const scene = onHostPorts().spec({ replicas: 8 }).published()
    turnTo(scene, 'HostNetwork', { hostNetwork: { httpPort: 8080 } })
    return updateOf(inCluster(scene, nodes(...names, ...spare), routersOn(names)))
  }
  expect(surgeWith(['i'])).toEqual({ maxSurge: 1, maxUnavailable: 0 })
  expect(surgeWith(['i', 'j', 'k'])).toEqual({ maxSurge: 2, maxUnavailable: 0 })
})

test('Five routers surge by two', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const scene = onHostPorts().spec({ replicas: 5 }).published()
  turnTo(scene, 'HostNetwork', { hostNetwork: { httpPort: 8080 } })
  expect(updateOf(inCluster(scene, nodes(...names, 'x', 'y', 'z'), routersOn(names)))).toEqual({
    maxSurge: 2,
    maxUnavailable: 0,
  })
})

test('Routers that go to other nodes are in nobody’s way', () => {
  const scene = onHostPorts().published()
  scene.spec({ nodePlacement: { nodeSelector: { matchLabels: { pool: 'new' } } } })
  turnTo(scene, 'HostNetwork', { hostNetwork: { httpPort: 8080 } })
  const pool = ['x', 'y'].map((name) => aNode(name, { labels: { pool: 'new' } }))
  expect(updateOf(inCluster(scene, [...nodes('a', 'b'), ...pool], routersOn(['a', 'b'])))).toEqual(beside)
})

test('One router leaves its port although others have found no node at all', () => {
  const scene = keepingSomePorts(['a', 'b']).spec({ replicas: 4 })
  expect(updateOf(scene)).toEqual({ maxSurge: 0, maxUnavailable: 3 })
  const onOne = keepingSomePorts(['a']).spec({ replicas: 3 })
  expect(updateOf(onOne)).toEqual({ maxSurge: 0, maxUnavailable: 3 })
})

test('No more routers than usual leave their ports while no node may be used', () => {
  expect(updateOf(keepingSomePorts([]))).toEqual({ maxSurge: 0, maxUnavailable: '25%' })
})

test('A port of a container that somebody adds does not make a router an old one', () => {
  const scene = inCluster(
    onHostPorts().published(),
    nodes('a', 'b'),
    routersOn(['a', 'b'], [80, 443, 1936, 9999]),
  )
  expect(updateOf(scene)).toEqual({ maxSurge: 0, maxUnavailable: '25%' })
})

test('Old routers make room for new ones that have found none for ten minutes', () => {
  const scene = leavingHostPorts(2)
  const waiting = aRouterPod('third', 9, { ports: [], words: 'Insufficient memory.' })
  inCluster(scene, nodes('a', 'b'), [...routersOn(['a', 'b']), waiting])
  expect(updateOf(scene)).toEqual(beside)
  const conditions = (reason: string) => [{ type: 'Progressing', status: 'False', reason }]
  scene.edit('Deployment', { status: { conditions: conditions('ReplicaSetUpdated') } })
  expect(updateOf(scene)).toEqual(beside)
  scene.edit('Deployment', { status: { conditions: conditions('ProgressDeadlineExceeded') } })
  expect(updateOf(scene)).toEqual({ maxSurge: '25%', maxUnavailable: '50%' })
})

test('Old routers make room after ten minutes for new ones that a quota refuses', () => {
  const scene = leavingHostPorts(2)
  inCluster(scene, nodes('a', 'b'), routersOn(['a', 'b']))
  scene.settle()
  const status = (reason: string, failure: string) => ({
    conditions: [
      { type: 'Progressing', status: 'False', reason },
      { type: 'ReplicaFailure', status: failure, reason: 'FailedCreate', message: 'exceeded quota: pods' },
    ],
  })
  const updateWith = (reason: string, failure: string) =>
    updateOf(scene.edit('Deployment', { status: status(reason, failure) }))
  expect(updateWith('ReplicaSetUpdated', 'True')).toEqual(beside)
  expect(updateWith('ProgressDeadlineExceeded', 'False')).toEqual(beside)
  expect(updateWith('ProgressDeadlineExceeded', 'True')).toEqual({ maxSurge: '25%', maxUnavailable: '50%' })
})

test('One router more may be missing where new ones have found too few nodes for ten minutes', () => {
  const scene = anIngressController('third').on('GCP').spec({ replicas: 3 })
  turnTo(scene, 'Private').published()
  const waiting = ['x', 'y'].map((name, number) => aRouterPod('third', 7 + number, { words: name }))
  const fresh = aRouterPod('third', 9, { node: 'a' })
  const pods = [...routersOn(['a', 'b'], []), fresh, ...waiting]
  turnTo(inCluster(scene, nodes('a', 'b'), pods), 'HostNetwork').settle()
  expect(scene.condition('PodsScheduled').reason).toBe('TooFewNodes')
  const exceeded = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]
  expect(updateOf(scene)).toEqual({ maxSurge: '25%', maxUnavailable: 1 })
  scene.edit('Deployment', { status: { conditions: exceeded } })
  expect(updateOf(scene)).toEqual({ maxSurge: 0, maxUnavailable: 2 })
})

test('Old routers stay if new ones only fail, or find their ports in use: they would make no room for those', () => {
  const scene = leavingHostPorts(2)
  const crashing = aRouterPod('third', 9, {
    node: 'a',
    ports: [],
    container: { ready: false, restartCount: 9, state: { waiting: { reason: 'CrashLoopBackOff' } } },
  })
  inCluster(scene, nodes('a', 'b'), [...routersOn(['a', 'b']), crashing])
  const exceeded = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]
  scene.settle()
  scene.edit('Deployment', { status: { conditions: exceeded } })
  expect(updateOf(scene)).toEqual(beside)
})
