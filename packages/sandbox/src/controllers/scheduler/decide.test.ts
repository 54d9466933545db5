import type { Cached } from '@portcullis/kube'
import type { Node, Pod, PodSpec } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { decideNode } from './decide.ts'

function aNode(
  name: string,
  { labels, ...spec }: Partial<Node['spec']> & { labels?: Record<string, string> } = {},
): Cached<Node> {
  return {
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, ...labels },
    },
    spec,
    status: { allocatable: { cpu: '2', memory: '4Gi', pods: '10' } },
  }
}

function aPod(name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Cached<Pod> {
  return {
    metadata: { namespace: 'default', name, uid: name, resourceVersion: '1', labels },
    spec: { containers: [{ name: 'c' }], ...spec },
  }
}

const withPort = (hostPort: number, hostIP?: string, protocol: 'TCP' | 'UDP' = 'TCP'): Partial<PodSpec> => ({
  containers: [
    { name: 'c', ports: [{ containerPort: hostPort, hostPort, protocol, ...(hostIP && { hostIP }) }] },
  ],
})

function place(pod: Cached<Pod>, nodes: Cached<Node>[], on: Record<string, Cached<Pod>[]> = {}) {
  return decideNode({ pod, nodes, podsByNode: new Map(Object.entries(on)), namespaceLabels: () => ({}) })
}

const three = [aNode('a'), aNode('b'), aNode('c')]

it('A pod goes to the node with the fewest pods, then to the first by name', () => {
  expect(place(aPod('p'), three, { a: [aPod('x')], b: [] })).toEqual({ node: 'b' })
  expect(place(aPod('p'), three)).toEqual({ node: 'a' })
})

it('A pod goes only where its node selector and affinity allow', () => {
  const nodes = [aNode('a'), aNode('b', { labels: { size: '9' } })]
  expect(place(aPod('p', { nodeSelector: { size: '9' } }), nodes)).toEqual({ node: 'b' })
  const affinity = (operator: string, values?: string[]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'size', operator, ...(values && { values }) }] }],
        },
      },
    },
  })
  const chosen = (operator: string, values?: string[]) =>
    place(aPod('p', affinity(operator, values)), nodes).node
  expect([chosen('In', ['9']), chosen('NotIn', ['9']), chosen('Exists'), chosen('DoesNotExist')]).toEqual([
    'b',
    'a',
    'b',
    'a',
  ])
  expect([chosen('Gt', ['5']), chosen('Lt', ['5'])]).toEqual(['b', undefined])
})

it('A pod shares a host port only on other addresses or over another protocol', () => {
  const fits = (wanted: Partial<PodSpec>, taken: Partial<PodSpec>) =>
    place(aPod('p', wanted), [aNode('a')], { a: [aPod('x', taken)] }).node === 'a'
  expect(fits(withPort(80), withPort(80))).toBe(false)
  expect(fits(withPort(80, '10.0.0.1'), withPort(80))).toBe(false)
  expect(fits(withPort(80, '10.0.0.1'), withPort(80, '10.0.0.2'))).toBe(true)
  expect(fits(withPort(80, undefined, 'UDP'), withPort(80))).toBe(true)
})

it('A pod keeps away from pods by anti-affinity, in both directions', () => {
  const apart = (app: string): Partial<PodSpec> => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
        ],
      },
    },
  })
  const [x, y] = [aPod('x', {}, { app: 'x' }), aPod('y', apart('p'))]
  expect(place(aPod('p', apart('x'), { app: 'p' }), three, { a: [x], b: [y] })).toEqual({ node: 'c' })
})

it('A pod goes where its affinity leads; the first of such pods goes anywhere', () => {
  const together: Partial<PodSpec> = {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'p' } } },
        ],
      },
    },
  }
  const pod = aPod('p', together, { app: 'p' })
  expect(place(pod, three)).toEqual({ node: 'a' })
  expect(place(pod, three, { c: [aPod('q', {}, { app: 'p' })] })).toEqual({ node: 'c' })
})

it('A pod that tolerates a taint may go to a tainted node', () => {
  const nodes = [aNode('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] })]
  expect(place(aPod('p', { tolerations: [{ key: 'k', operator: 'Exists' }] }), nodes)).toEqual({
    node: 'a',
  })
  expect(place(aPod('p', { tolerations: [{ key: 'k', value: 'other' }] }), nodes).node).toBeUndefined()
})

it('The reason why a pod cannot be scheduled is that there are no nodes', () => {
  expect(place(aPod('p'), []).message).toBe('no nodes available to schedule pods')
})

it('The reason why a pod cannot be scheduled counts the reasons, and says what preemption could do', () => {
  const nodes = [
    aNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] }),
    aNode('b', { unschedulable: true }),
    aNode('c'),
  ]
  const { message } = place(aPod('p', withPort(80)), nodes, { c: [aPod('x', withPort(80))] })
  expect(message).toBe(
    "0/3 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  )
})

it('The reason why a pod cannot be scheduled names the resource that is short, and whether an empty node would do', () => {
  const big = (cpu: string) => aPod('p', { containers: [{ name: 'c', resources: { requests: { cpu } } }] })
  expect(place(big('3'), [aNode('a')]).message).toMatch(/1 Insufficient cpu\..*1 Preemption is not helpful/)
  expect(place(big('1500m'), [aNode('a')], { a: [big('1')] }).message).toMatch(
    /1 Insufficient cpu\..*1 No preemption victims/,
  )
})
