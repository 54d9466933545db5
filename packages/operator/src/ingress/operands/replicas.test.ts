import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { wantedReplicas } from './replicas.ts'

test.each([
  { isSingleNode: false, count: 2 },
  { isSingleNode: true, count: 1 },
])('The default number of routers is $count if isSingleNode is $isSingleNode', (usual) => {
  const edge = anIngressController().on('None')
  edge.isSingleNode = usual.isSingleNode
  const expected = { count: usual.count, areOthers: false }
  expect(wantedReplicas(edge.snapshot())).toEqual(expected)
  edge.settle()
  expect(wantedReplicas(edge.snapshot())).toEqual(expected)
})

test('A client that scales the Deployment decides the number of routers until the spec sets it', () => {
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

test('A client that changes another field of the Deployment does not decide the number of routers', () => {
  const edge = anIngressController().on('None')
  edge.settle()
  edge.edit('Deployment', { spec: { minReadySeconds: 5 } }, { manager: 'somebody' })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 2, areOthers: false })
})

test('A spec that no longer sets the number of routers gets the default', () => {
  const edge = anIngressController().on('None').spec({ replicas: 7 })
  edge.settle()
  edge.spec({ replicas: null })
  expect(wantedReplicas(edge.snapshot())).toEqual({ count: 2, areOthers: false })
})
