import type { Cached, DeepReadonly } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { matchesLabels } from '../label-selector.ts'
import { isActive, isFinished, isReady, isTerminating, millisecondsUntilAvailable } from '../pods.ts'

/** How many pods one sync makes or deletes at most. */
const burst = 500

export interface ReplicaSetChanges {
  readonly create: number
  readonly remove: readonly Cached<Pod>[]
}

/** What must happen so that there are as many pods as wanted. */
export function decideReplicas(
  replicaSet: Cached<ReplicaSet>,
  pods: readonly Cached<Pod>[],
  now: Date,
): ReplicaSetChanges {
  if (replicaSet.metadata.deletionTimestamp !== undefined) return { create: 0, remove: [] }
  const active = pods.filter(isActive)
  const missing = (replicaSet.spec?.replicas ?? 1) - active.length
  if (missing >= 0) return { create: Math.min(missing, burst), remove: [] }
  return { create: 0, remove: leastUseful(active, now).slice(0, Math.min(-missing, burst)) }
}

/** Those that will be missed least come first. */
function leastUseful(pods: readonly Cached<Pod>[], now: Date): Cached<Pod>[] {
  const readyOnNode = new Map<string, number>()
  for (const pod of pods) {
    const node = pod.spec?.nodeName ?? ''
    if (isReady(pod)) readyOnNode.set(node, (readyOnNode.get(node) ?? 0) + 1)
  }
  const phases = ['Pending', 'Unknown', 'Running']
  const rank = (pod: Cached<Pod>): readonly number[] => [
    pod.spec?.nodeName ? 1 : 0,
    phases.indexOf(pod.status?.phase ?? 'Pending'),
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    -(readyOnNode.get(pod.spec?.nodeName ?? '') ?? 0),
    // Ages count by order of magnitude only, so that it is not always the youngest that go.
    Math.floor(Math.log2(1 + age(readySince(pod), now))),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    Math.floor(Math.log2(1 + age(pod.metadata.creationTimestamp, now))),
  ]
  return pods
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => compareRanks(a.rank, b.rank) || (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1))
    .map(({ pod }) => pod)
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

function readySince({ status }: Cached<Pod>): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
}

function age(since: string | undefined, now: Date): number {
  return since === undefined ? 0 : Math.max(0, now.getTime() - Date.parse(since))
}

/** A status as it is compared and written: counts of zero are left out, as the API server does. */
export type CountedStatus = Omit<ReplicaSetStatus, 'conditions'> & {
  readonly terminatingReplicas?: number
  readonly conditions?: readonly DeepReadonly<ReplicaSetCondition>[]
}

export interface ReplicaSetReport {
  readonly status: CountedStatus
  /** When a pod will have been ready for long enough. */
  readonly requeueAfterMs?: number
}

/** @param problem why pods could not be made or deleted */
export function reportReplicaSet(
  replicaSet: Cached<ReplicaSet>,
  pods: readonly Cached<Pod>[],
  problem: string | undefined,
  now: Date,
): ReplicaSetReport {
  const { spec, metadata, status } = replicaSet
  const active = pods.filter(isActive)
  const terminating = pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length
  const waits = active.map((pod) => millisecondsUntilAvailable(pod, spec?.minReadySeconds ?? 0, now))
  const pending = waits.flatMap((wait) => (wait === undefined || wait === 0 ? [] : [wait]))
  const templateLabels = spec?.template?.metadata?.labels ?? {}
  const conditions = conditionsOf(replicaSet, active.length, problem, now)
  return {
    status: {
      replicas: active.length,
      ...count(
        'fullyLabeledReplicas',
        active.filter((pod) => matchesLabels(templateLabels, pod.metadata.labels)).length,
      ),
      ...count('readyReplicas', active.filter(isReady).length),
      ...count('availableReplicas', waits.filter((wait) => wait === 0).length),
      terminatingReplicas: terminating,
      observedGeneration: metadata.generation ?? status?.observedGeneration ?? 0,
      ...(conditions.length > 0 && { conditions }),
    },
    ...(pending.length > 0 && { requeueAfterMs: Math.min(...pending) + 50 }),
  }
}

function count<N extends string>(name: N, value: number): Partial<Record<N, number>> {
  return value === 0 ? {} : ({ [name]: value } as Record<N, number>)
}

function conditionsOf(
  { spec, status }: Cached<ReplicaSet>,
  activePods: number,
  problem: string | undefined,
  now: Date,
): readonly DeepReadonly<ReplicaSetCondition>[] {
  const before = status?.conditions ?? []
  const others = before.filter(({ type }) => type !== 'ReplicaFailure')
  if (problem === undefined) return others
  if (others.length < before.length) return before
  const failure: ReplicaSetCondition = {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: activePods < (spec?.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete',
    message: problem,
  }
  return [...others, failure]
}
