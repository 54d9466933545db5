import { emptyCaches } from '@portcullis/kube/testing'
import { expect, test } from 'vitest'
import { aNode, aNodePortService, aPod, aRouterPod } from '../testing/nodes.ts'
import { observe } from './observe.ts'
import { defaultSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

/** What the operator sees of a controller in a cluster that has these objects. */
function seen(objects: Readonly<Record<string, readonly object[]>>, name = 'edge') {
  const table = watchedKinds(defaultSettings)
  const caches = emptyCaches(table)
  for (const name of Object.keys(table) as (keyof typeof table)[])
    caches[name].replace((objects[table[name].kind.kind] ?? []) as never)
  return observe(`openshift-ingress-operator/${name}`, caches, defaultSettings, {
    now: new Date('2030-01-01T00:00:00Z'),
    contestedIngresses: new Map(),
    contestedFields: () => [],
    problems: [],
  })
}

const named = (name: string, namespace = 'openshift-ingress', more: object = {}) => ({
  metadata: { namespace, name, uid: name, resourceVersion: '1' },
  ...more,
})
const controllers = ['edge', 'other'].map((name) => named(name, 'openshift-ingress-operator'))
const names = (found: readonly { metadata: { name: string } }[] | undefined) =>
  found?.map(({ metadata }) => metadata.name)

test('A snapshot holds the controller and the others beside it, and there is none of a controller that does not exist', () => {
  const snapshot = seen({ IngressController: controllers })
  expect(snapshot?.controller).toBe(controllers[0])
  expect(snapshot?.others).toEqual([controllers[1]])
  expect(seen({ IngressController: controllers }, 'gone')).toBeUndefined()
})

test('A snapshot finds the platform by the provider ids of the nodes that have one', () => {
  const nodes = [
    aNode('a', { providerID: 'aws:///us-east-1a/i-1' }),
    aNode('b'),
    aNode('c', { providerID: '' }),
  ]
  const snapshot = seen({ IngressController: controllers, Node: nodes })
  expect(snapshot?.platform.platform?.name).toBe('AWS')
  expect(names(snapshot?.nodes)).toEqual(['a', 'b', 'c'])
})

test('A snapshot holds what takes ports: pods on their nodes, and Services on all nodes', () => {
  const snapshot = seen({
    IngressController: controllers,
    Pod: [aPod('web', { ports: [80] }), aPod('quiet'), aRouterPod('edge', 1, { ports: [] })],
    Service: [aNodePortService('shop', 30_080), named('plain', 'shop', { spec: { ports: [{ port: 80 }] } })],
  })
  expect(names(snapshot?.hostPortPods)).toEqual(['web'])
  expect(names(snapshot?.nodePortServices)).toEqual(['shop'])
  expect(names(snapshot?.pods)).toEqual(['router-edge-1'])
})

test('A snapshot holds the objects under the names that the controller wants, and what the cloud says of its Service', () => {
  const about = (service: string) => ({ involvedObject: { kind: 'Service', name: service } })
  const snapshot = seen({
    IngressController: controllers,
    Service: ['router-edge', 'router-internal-edge', 'router-nodeport-edge', 'router-other'].map((name) =>
      named(name),
    ),
    Event: [named('a', undefined, about('router-edge')), named('b', undefined, about('router-other'))],
  })
  const { loadBalancer, internalService, nodePortService, deployment } = snapshot?.operands ?? {}
  expect([loadBalancer, internalService, nodePortService].map((each) => each?.metadata.name)).toEqual([
    'router-edge',
    'router-internal-edge',
    'router-nodeport-edge',
  ])
  expect(deployment).toBeUndefined()
  expect(names(snapshot?.cloudEvents)).toEqual(['a'])
})
