import { type Conditions, find, set, without } from './conditions.ts'
import { type Dep, type Rs, wantedOf } from './sizes.ts'

/** The longest deadline there is means that there is none. */
export function hasDeadline({ spec }: Dep): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2_147_483_647
}

export function isComplete(deployment: Dep, status: Counts = deployment.status ?? {}): boolean {
  const wanted = wantedOf(deployment)
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

export function pausedConditions(deployment: Dep, now: Date): Conditions {
  const conditions = deployment.status?.conditions ?? []
  const progressing = find(conditions, 'Progressing')
  if (!hasDeadline(deployment) || progressing?.reason === 'ProgressDeadlineExceeded') return conditions
  const isPaused = deployment.spec?.paused === true
  const saysPaused = progressing?.reason === 'DeploymentPaused'
  if (isPaused === saysPaused) return conditions
  const texts = isPaused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' }
  return set(conditions, { type: 'Progressing', status: 'Unknown', ...texts }, now)
}

interface Counts {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
}

export function progressConditions(
  deployment: Dep,
  newSet: Rs | undefined,
  counts: Counts,
  conditions: Conditions,
  now: Date,
): Conditions {
  if (!hasDeadline(deployment)) return without(conditions, 'Progressing')
  const before = find(deployment.status?.conditions ?? [], 'Progressing')
  const settled =
    (counts.replicas ?? 0) === (counts.updatedReplicas ?? 0) && before?.reason === 'NewReplicaSetAvailable'
  if (settled) return conditions
  const who =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`
  if (isComplete(deployment, counts)) {
    const texts = { reason: 'NewReplicaSetAvailable', message: `${who} has successfully progressed.` }
    return set(conditions, { type: 'Progressing', status: 'True', ...texts }, now)
  }
  if (hasProgressed(deployment.status ?? {}, counts)) {
    const texts = { reason: 'ReplicaSetUpdated', message: `${who} is progressing.` }
    return set(conditions, { type: 'Progressing', status: 'True', ...texts }, now, { always: true })
  }
  if (hasTimedOut(deployment, conditions, now)) {
    const texts = { reason: 'ProgressDeadlineExceeded', message: `${who} has timed out progressing.` }
    return set(conditions, { type: 'Progressing', status: 'False', ...texts }, now)
  }
  return conditions
}

function hasProgressed(before: Counts, now: Counts): boolean {
  const oldReplicas = ({ replicas = 0, updatedReplicas = 0 }: Counts) => replicas - updatedReplicas
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldReplicas(now) < oldReplicas(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

function hasTimedOut(deployment: Dep, conditions: Conditions, now: Date): boolean {
  const progressing = find(conditions, 'Progressing')
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false
  if (progressing.reason === 'ProgressDeadlineExceeded') return true
  const since = Date.parse(progressing.lastUpdateTime ?? '')
  return since + (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000 < now.getTime()
}

/** When to look whether the deadline has passed, if nothing happens before. */
export function untilDeadline(
  deployment: Dep,
  counts: Counts,
  conditions: Conditions,
  now: Date,
): number | undefined {
  const progressing = find(conditions, 'Progressing')
  if (!hasDeadline(deployment) || progressing === undefined || isComplete(deployment, counts))
    return undefined
  if (['ProgressDeadlineExceeded', 'NewReplicaSetAvailable'].includes(progressing.reason ?? ''))
    return undefined
  const since = Date.parse(progressing.lastUpdateTime ?? '')
  return Math.max(0, since + (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000 - now.getTime()) + 1000
}

/** The new set's failure before any other's. */
export function failureConditions(
  all: readonly Rs[],
  newSet: Rs | undefined,
  conditions: Conditions,
  now: Date,
): Conditions {
  const failures = [...(newSet === undefined ? [] : [newSet]), ...all].flatMap(({ status }) =>
    (status?.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure'),
  )
  const [failure] = failures
  return failure === undefined ? without(conditions, 'ReplicaFailure') : set(conditions, failure, now)
}
