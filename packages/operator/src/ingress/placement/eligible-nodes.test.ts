import { expect, test } from 'vitest'
import { aNode } from '../../testing/nodes.ts'
import { eligibleNodes, type Placement } from './eligible-nodes.ts'

const names = (nodes: ReturnType<typeof aNode>[], placement: Partial<Placement> = {}) =>
  eligibleNodes(nodes, { nodeSelector: {}, tolerations: [], ...placement }).map(
    ({ metadata }) => metadata.name,
  )

test('A node is eligible only if it has every label of the selector with the same value', () => {
  const nodes = [aNode('a', { labels: { zone: '1', infra: '' } }), aNode('b', { labels: { zone: '1' } })]
  expect(names(nodes, { nodeSelector: { zone: '1' } })).toEqual(['a', 'b'])
  expect(names(nodes, { nodeSelector: { zone: '1', infra: '' } })).toEqual(['a'])
  expect(names(nodes, { nodeSelector: { zone: '2' } })).toEqual([])
})

test('A node with the taint effect NoSchedule or NoExecute is not eligible, one with PreferNoSchedule is', () => {
  const tainted = (effect: string) => aNode(effect, { taints: [{ key: 'k', value: 'v', effect }] })
  const nodes = ['NoSchedule', 'NoExecute', 'PreferNoSchedule'].map(tainted)
  expect(names(nodes)).toEqual(['PreferNoSchedule'])
})

test.each([
  [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }, true],
  [{ key: 'k', value: 'v' }, true],
  [{ key: 'k', value: 'other' }, false],
  [{ key: 'k' }, false],
  [{ key: 'k', operator: 'Exists' }, true],
  [{ operator: 'Exists' }, true],
  [{ value: 'v' }, false],
  [{ operator: 'Exists', effect: 'NoExecute' }, false],
  [{ key: 'other', operator: 'Exists' }, false],
])('The taint k=v:NoSchedule is tolerated by %j: %s', (toleration, isTolerated) => {
  const node = aNode('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] })
  expect(names([node], { tolerations: [toleration] })).toEqual(isTolerated ? ['a'] : [])
})

test('A taint without a value is tolerated by a toleration without one', () => {
  const node = aNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })
  expect(names([node], { tolerations: [{ key: 'k', operator: 'Equal' }] })).toEqual(['a'])
})

test('A node is eligible only if each of its taints is tolerated', () => {
  const taints = ['k', 'l'].map((key) => ({ key, effect: 'NoSchedule' }))
  const tolerations = ['k', 'l'].map((key) => ({ key, operator: 'Exists' }))
  expect(names([aNode('a', { taints })], { tolerations: tolerations.slice(0, 1) })).toEqual([])
  expect(names([aNode('a', { taints })], { tolerations })).toEqual(['a'])
})

test('A cordoned node is not eligible even before it has the taint, unless the taint is tolerated', () => {
  const node = aNode('a', { unschedulable: true })
  expect(names([node])).toEqual([])
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }]
  expect(names([node], { tolerations })).toEqual(['a'])
})
