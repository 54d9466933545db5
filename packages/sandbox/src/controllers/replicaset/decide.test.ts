import type { Cached } from '@portcullis/kube'
import type { ReplicaSet } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { decideReplicas, reportReplicaSet } from './decide.ts'

const now = new Date('2030-01-01T00:00:00Z')

const aSet = (replicas: number, spec: Partial<ReplicaSet['spec']> = {}): Cached<ReplicaSet> => ({
  metadata: { name: 'web', uid: 'rs', resourceVersion: '1', generation: 2 },
  spec: { replicas, selector: {}, ...spec },
})

function aPod(
  name: string,
  { ready = true, node = 'n', since = '2029-12-31T23:00:00Z', gone = false, phase = 'Running' } = {},
): Cached<Pod> {
  return {
    metadata: { name, uid: name, resourceVersion: '1', ...(gone && { deletionTimestamp: since }) },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  }
}

const removed = (pods: Cached<Pod>[], replicas: number) =>
  decideReplicas(aSet(replicas), pods, now).remove.map(({ metadata }) => metadata.name)

it('A ReplicaSet creates missing pods; pods that end or have ended do not count', () => {
  const pods = [aPod('a'), aPod('b', { gone: true }), aPod('c', { phase: 'Failed' })]
  expect(decideReplicas(aSet(3), pods, now)).toEqual({ create: 2, remove: [] })
})

it('A ReplicaSet deletes the least useful pods: unscheduled, then not ready, then on the same node, then young', () => {
  expect(removed([aPod('a'), aPod('b', { node: '' })], 1)).toEqual(['b'])
  expect(removed([aPod('a'), aPod('b', { ready: false })], 1)).toEqual(['b'])
  expect(removed([aPod('a', { node: 'm' }), aPod('b'), aPod('c')], 2)).toEqual(['b'])
  expect(removed([aPod('a'), aPod('b', { since: '2029-12-31T23:59:59Z' })], 1)).toEqual(['b'])
})

it('A ReplicaSet counts a pod as available after minReadySeconds', () => {
  const pods = [aPod('a'), aPod('b', { since: '2029-12-31T23:59:55Z' })]
  const { status, requeueAfterMs } = reportReplicaSet(aSet(2, { minReadySeconds: 30 }), pods, undefined, now)
  expect(status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    observedGeneration: 2,
  })
  expect(requeueAfterMs).toBe(25_050)
})

it('A ReplicaSet reports why pods cannot be created, until they can', () => {
  const { status } = reportReplicaSet(aSet(2), [], 'pods is forbidden', now)
  expect(status.conditions).toMatchObject([
    { type: 'ReplicaFailure', reason: 'FailedCreate', message: 'pods is forbidden' },
  ])
  const failed = { ...aSet(2), status: { replicas: 0, conditions: [...(status.conditions ?? [])] } }
  expect(reportReplicaSet(failed, [], undefined, now).status.conditions).toBeUndefined()
})
