import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { wantedReplicas } from './replicas.ts'

test.each([
  { isSingleNode: false, count: 2 },
  { isSingleNode: true, count: 1 },
])('a cluster of which it is $isSingleNode that it has a single node gets $count by default', (usual) => {
  const edge = anIngressController().on('None')
  edge.isSingleNode = usual.isSingleNode
  const expected = { count: usual.count, areOthers: false }
  expect(wantedReplicas(edge.snapshot())).toEqual(expected)
  edge.settle()
  expect(wantedReplicas(edge.snapshot())).toEqual(expected)
})

test('whoever scales the Deployment decides, until the spec says how many there shall be', () => {
  const edge = anIngressController().on('None')
  edge.settle()
  edge.edit('Deployment', { spec: { replicas: 5 } }, { manager: 'autoscaler' })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 5, areOthers: true })
  edge.edit('Deployment', { spec: { replicas: 0 } }, { manager: 'autoscaler' })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 0, areOthers: true })
  edge.spec({ replicas: 3 })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 3, areOthers: false })
  edge.spec({ replicas: 0 })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 0, areOthers: false })
})

test('whoever changes something else of the Deployment does not decide how many routers there are', () => {
  const edge = anIngressController().on('None')
  edge.settle()
  edge.edit('Deployment', { spec: { minReadySeconds: 5 } }, { manager: 'somebody' })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 2, areOthers: false })
})

test('a spec that does not say any more how many there shall be asks for as many as usual', () => {
  const edge = anIngressController().on('None').spec({ replicas: 7 })
  edge.settle()
  edge.spec({ replicas: null })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 2, areOthers: false })
})
