import type { Cached } from '@portcullis/kube'
import type { Deployment, DeploymentStatus, ReplicaSet } from 'kubernetes-types/apps/v1'
import { expect, it } from 'vitest'
import { type DeploymentDecision, decideDeployment } from './decide.ts'
import { fenceposts } from './sizes.ts'
import { sameTemplate, templateHash } from './template-hash.ts'

const start = Date.parse('2030-01-01T00:00:00Z')

function aDeployment(
  image: string,
  spec: Partial<Deployment['spec']> = {},
  status?: DeploymentStatus,
): Cached<Deployment> {
  return {
    metadata: { namespace: 'ns', name: 'web', uid: 'd', resourceVersion: '1', generation: 1 },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
      ...spec,
    },
    ...(status && { status }),
  }
}

interface SetShape {
  readonly size: number
  readonly available?: number
  readonly revision?: number
  readonly desired?: number
}

function aSet(
  image: string,
  { size, available = size, revision = 1, desired = 4 }: SetShape,
): Cached<ReplicaSet> {
  return {
    metadata: {
      namespace: 'ns',
      name: `web-${image}`,
      uid: image,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: `2029-01-01T00:00:0${revision}Z`,
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        'deployment.kubernetes.io/desired-replicas': String(desired),
        'deployment.kubernetes.io/max-replicas': String(desired + 1),
      },
    },
    spec: {
      replicas: size,
      selector: {},
      template: {
        metadata: { labels: { app: 'web', 'pod-template-hash': 'x' } },
        spec: { containers: [{ name: 'c', image }] },
      },
    },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  }
}

function look(
  deployment: Cached<Deployment>,
  replicaSets: Cached<ReplicaSet>[],
  seconds = 0,
): DeploymentDecision {
  return decideDeployment({
    deployment,
    replicaSets,
    podsOf: () => [],
    now: new Date(start + seconds * 1000),
  })
}

const sizes = ({ resize }: DeploymentDecision) =>
  Object.fromEntries([...resize].map(([set, size]) => [set.metadata.name, size]))
const condition = ({ status }: DeploymentDecision, type: string) =>
  (status as DeploymentStatus).conditions?.find((found) => found.type === type)

it('A rolling update begins with a ReplicaSet of its own, at full size when there is nothing else', () => {
  const { create, revision, status } = look(aDeployment('a'), [])
  expect(create?.spec?.replicas).toBe(4)
  expect(revision).toBe('1')
  expect(create?.metadata?.labels).toEqual({
    app: 'web',
    'pod-template-hash': expect.stringMatching(/^[4-9bcdf]{10}$/),
  })
  expect(status).toMatchObject({
    unavailableReplicas: 4,
    conditions: [
      {
        type: 'Progressing',
        reason: 'NewReplicaSetCreated',
        message: `Created new replica set "${create?.metadata?.name}"`,
      },
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
    ],
  })
})

it('A rolling update begins with the surge only, when old pods exist', () => {
  const { create, revision } = look(aDeployment('b'), [aSet('a', { size: 4 })])
  expect([create?.spec?.replicas, revision]).toEqual([1, '2'])
})

it('A rolling update removes old pods as far as maxUnavailable allows', () => {
  const sets = [aSet('a', { size: 4 }), aSet('b', { size: 1, available: 0, revision: 2 })]
  expect(sizes(look(aDeployment('b'), sets))).toEqual({ 'web-a': 3 })
})

it('A rolling update removes unhealthy old pods first, so that a bad rollout can be replaced', () => {
  const sets = [
    aSet('a', { size: 3 }),
    aSet('b', { size: 2, available: 0, revision: 2 }),
    aSet('c', { size: 0, revision: 3 }),
  ]
  expect(sizes(look(aDeployment('c'), sets))).toEqual({ 'web-b': 0 })
})

it('A rolling update ends when all pods are new and available', () => {
  const decision = look(aDeployment('b'), [aSet('a', { size: 0 }), aSet('b', { size: 4, revision: 2 })])
  expect(condition(decision, 'Progressing')).toMatchObject({
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    message: 'ReplicaSet "web-b" has successfully progressed.',
  })
})

it('A rolling update that returns to an old template reuses its ReplicaSet, under a new revision', () => {
  const sets = [aSet('a', { size: 0, revision: 1 }), aSet('b', { size: 4, revision: 2 })]
  expect(look(aDeployment('a'), sets).annotate?.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  })
})

it('A rolling update without progress reports it after its deadline', () => {
  const progressing = {
    type: 'Progressing',
    status: 'True',
    reason: 'ReplicaSetUpdated',
    lastUpdateTime: '2030-01-01T00:00:00Z',
  }
  const deployment = aDeployment(
    'a',
    { progressDeadlineSeconds: 10 },
    { replicas: 4, updatedReplicas: 4, conditions: [progressing] },
  )
  const sets = [aSet('a', { size: 4, available: 0 })]
  expect(look(deployment, sets, 5).requeueAfterMs).toBe(6_000)
  expect(condition(look(deployment, sets, 11), 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: 'ReplicaSet "web-a" has timed out progressing.',
  })
})

it('A Deployment with Recreate removes everything old before anything new comes', () => {
  const recreate = aDeployment('b', { strategy: { type: 'Recreate' } })
  const first = look(recreate, [aSet('a', { size: 4 })])
  expect([sizes(first), first.create]).toEqual([{ 'web-a': 0 }, undefined])
  expect(look(recreate, [aSet('a', { size: 0 })]).create?.spec?.replicas).toBe(4)
})

it('A Deployment that is scaled during a rollout scales both ReplicaSets in proportion', () => {
  const sets = [aSet('a', { size: 6, desired: 8 }), aSet('b', { size: 3, desired: 8, revision: 2 })]
  const decision = look(aDeployment('b', { replicas: 16 }), sets)
  expect(Object.values(sizes(decision)).reduce((sum, size) => sum + size)).toBe(20)
})

it('A Deployment that is paused rolls nothing out', () => {
  const decision = look(aDeployment('b', { paused: true }), [aSet('a', { size: 4 })])
  expect([decision.create, decision.resize.size]).toEqual([undefined, 0])
  expect(condition(decision, 'Progressing')).toMatchObject({
    status: 'Unknown',
    reason: 'DeploymentPaused',
  })
})

it('A Deployment keeps no more history than revisionHistoryLimit', () => {
  const done = { observedGeneration: 1, replicas: 4, updatedReplicas: 4, availableReplicas: 4 }
  const deployment = aDeployment('c', { revisionHistoryLimit: 1 }, done)
  const sets = [
    aSet('a', { size: 0, revision: 1 }),
    aSet('b', { size: 0, revision: 2 }),
    aSet('c', { size: 4, revision: 3 }),
  ]
  expect(look(deployment, sets).remove.map(({ metadata }) => metadata.name)).toEqual(['web-a'])
})

it('A Deployment may always have one pod unavailable, or one more', () => {
  const rollingUpdate = { maxSurge: 0, maxUnavailable: '10%' }
  expect(fenceposts(aDeployment('a', { strategy: { type: 'RollingUpdate', rollingUpdate } }))).toEqual({
    surge: 0,
    unavailable: 1,
  })
})

it('Templates are compared by content, not by the order of fields or by the hash in them', () => {
  const one = { metadata: { labels: { a: '1', 'pod-template-hash': 'x' } }, spec: { containers: [] } }
  const same = { spec: { containers: [] }, metadata: { labels: { a: '1' } } }
  expect(sameTemplate(one, same)).toBe(true)
  expect(templateHash(same)).not.toBe(templateHash(same, 1))
})
