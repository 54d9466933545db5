import type { ReplicaSet } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { ownerReference } from '../../../kube/owner-references.ts'
import type { Stored } from '../../../kube/store.ts'
import { isFinished } from '../pods.ts'
import { type Conditions, find, set, without } from './conditions.ts'
import {
  availableOf,
  byAge,
  type Dep,
  desiredAnnotation,
  fenceposts,
  isActiveSet,
  isRolling,
  maxAnnotation,
  newSetSize,
  type Rs,
  type Sizes,
  scaleInProportion,
  shrinkOld,
  sizeOf,
  sum,
  wantedOf,
} from './sizes.ts'
import { sameTemplate, templateHash, templateHashLabel } from './template-hash.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
const historyAnnotation = 'deployment.kubernetes.io/revision-history'

/** Not handed down to ReplicaSets. */
const ownAnnotations = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
])

export interface DeploymentSnapshot {
  readonly deployment: Dep
  /** All that it owns. */
  readonly replicaSets: readonly Rs[]
  /** Pods of those, by the uid of their ReplicaSet. */
  readonly podsOf: (replicaSetUid: string) => Iterable<Stored<Pod>>
  readonly now: Date
}

/** What one look at a Deployment leads to, in the order in which it is carried out. */
export interface DeploymentDecision {
  readonly create?: ReplicaSet
  /** Brings the new set's annotations up to date. */
  readonly annotate?: { readonly set: Rs; readonly annotations: Readonly<Record<string, string>> }
  readonly resize: Sizes
  readonly remove: readonly Rs[]
  /** To be written on the Deployment. */
  readonly revision?: string
  readonly status: object
  readonly lookAgainInMs?: number
}

export function decideDeployment(snapshot: DeploymentSnapshot): DeploymentDecision {
  const { deployment, replicaSets, now } = snapshot
  const { newSet, old } = divide(deployment, replicaSets)
  const conditions = pausedConditions(deployment, now)
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return report(snapshot, { newSet, old, conditions, estimate: false })
  }
  const annotate = newSet && annotationsToBring(deployment, newSet, old)
  if (deployment.spec?.paused === true || wasScaled(deployment, replicaSets)) {
    const resize = scaleInProportion(deployment, newSet, old)
    const remove = deployment.spec?.paused === true ? outdated(deployment, old) : []
    return report(snapshot, { newSet, old, conditions, estimate: false, annotate, resize, remove })
  }
  return isRolling(deployment)
    ? rollingUpdate(snapshot, { newSet, old, conditions, annotate })
    : recreate(snapshot, { newSet, old, conditions, annotate })
}

interface Parts {
  readonly newSet: Rs | undefined
  readonly old: readonly Rs[]
  readonly conditions: Conditions
  readonly annotate?: DeploymentDecision['annotate']
}

function rollingUpdate(snapshot: DeploymentSnapshot, parts: Parts): DeploymentDecision {
  const { deployment } = snapshot
  const { newSet, old } = parts
  if (newSet === undefined) return createSet(snapshot, parts)
  const wanted = wantedOf(deployment)
  const size = sizeOf(newSet)
  const nextSize = size > wanted ? wanted : newSetSize(deployment, [...old, newSet], size)
  if (nextSize !== size) {
    return report(snapshot, { ...parts, estimate: true, resize: new Map([[newSet, nextSize]]) })
  }
  const resize = shrinkOld(deployment, newSet, old)
  const remove = resize.size === 0 && isComplete(deployment) ? outdated(deployment, old) : []
  return report(snapshot, { ...parts, estimate: true, resize, remove })
}

/** First everything old goes, to the last pod; then the new set comes. */
function recreate(snapshot: DeploymentSnapshot, parts: Parts): DeploymentDecision {
  const { deployment, podsOf } = snapshot
  const { newSet, old } = parts
  const active = old.filter(isActiveSet)
  if (active.length > 0) {
    const resize = new Map(active.map((set) => [set, 0]))
    return report(snapshot, { ...parts, estimate: true, resize })
  }
  const oldRuns =
    sum(old, ({ status }) => status?.replicas ?? 0) > 0 ||
    old.some((set) => [...podsOf(set.metadata.uid)].some((pod) => !isFinished(pod)))
  if (oldRuns) return report(snapshot, { ...parts, estimate: true })
  if (newSet === undefined) return createSet(snapshot, parts)
  const wanted = wantedOf(deployment)
  const resize = sizeOf(newSet) === wanted ? new Map() : new Map([[newSet, wanted]])
  const remove = isComplete(deployment) ? outdated(deployment, old) : []
  return report(snapshot, { ...parts, estimate: true, resize, remove })
}

function createSet(snapshot: DeploymentSnapshot, parts: Parts): DeploymentDecision {
  const { deployment, now } = snapshot
  const create = newReplicaSet(deployment, parts.old)
  const created = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetCreated',
    message: `Created new replica set "${create.metadata?.name}"`,
  }
  const conditions = hasDeadline(deployment) ? set(parts.conditions, created, now) : parts.conditions
  const decision = report(snapshot, {
    ...parts,
    conditions,
    estimate: false,
    coming: create.spec?.replicas ?? 0,
  })
  return { ...decision, create, revision: create.metadata?.annotations?.[revisionAnnotation] ?? '1' }
}

function newReplicaSet(deployment: Dep, old: readonly Rs[]): ReplicaSet {
  const { namespace = '', name, uid, annotations = {} } = deployment.metadata
  const { spec, status } = deployment
  const hash = templateHash(spec?.template, status?.collisionCount)
  const template = structuredClone(spec?.template ?? {}) as NonNullable<ReplicaSet['spec']>['template']
  const labels = { ...template?.metadata?.labels, [templateHashLabel]: hash }
  const selector = structuredClone(spec?.selector ?? {}) as NonNullable<ReplicaSet['spec']>['selector']
  selector.matchLabels = { ...selector.matchLabels, [templateHashLabel]: hash }
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name, uid } }
  const handedDown = Object.entries(annotations).filter(([key]) => !ownAnnotations.has(key))
  return {
    metadata: {
      namespace,
      name: `${name.slice(0, 252 - hash.length)}-${hash}`,
      labels,
      annotations: {
        ...Object.fromEntries(handedDown),
        [revisionAnnotation]: String(latestRevision(old) + 1),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [ownerReference(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      replicas: newSetSize(deployment, old, 0),
      ...(spec?.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector,
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  }
}

/** Written whenever a set is resized: from them a later look can tell that the Deployment was scaled. */
export function sizeAnnotations(deployment: Dep): Record<string, string> {
  const wanted = wantedOf(deployment)
  return {
    [desiredAnnotation]: String(wanted),
    [maxAnnotation]: String(wanted + fenceposts(deployment).surge),
  }
}

function divide(deployment: Dep, sets: readonly Rs[]): { newSet: Rs | undefined; old: readonly Rs[] } {
  // The oldest, if ever there are two.
  const newSet = [...sets]
    .sort(byAge)
    .find(({ spec }) => sameTemplate(spec?.template, deployment.spec?.template))
  return { newSet, old: sets.filter((other) => other !== newSet) }
}

function wasScaled(deployment: Dep, sets: readonly Rs[]): boolean {
  return sets.filter(isActiveSet).some(({ metadata }) => {
    const desired = metadata.annotations?.[desiredAnnotation]
    return desired !== undefined && Number(desired) !== wantedOf(deployment)
  })
}

const revisionOf = ({ metadata }: Rs): number => Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0
const latestRevision = (sets: readonly Rs[]): number => Math.max(0, ...sets.map(revisionOf))

function annotationsToBring(deployment: Dep, newSet: Rs, old: readonly Rs[]): DeploymentDecision['annotate'] {
  const current = newSet.metadata.annotations ?? {}
  const wanted: Record<string, string> = {}
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!ownAnnotations.has(key) && current[key] !== value) wanted[key] = value
  }
  const revision = latestRevision(old) + 1
  if (revisionOf(newSet) < revision) {
    wanted[revisionAnnotation] = String(revision)
    const before = current[revisionAnnotation]
    if (before !== undefined) {
      wanted[historyAnnotation] = [current[historyAnnotation], before].filter(Boolean).join(',')
    }
  }
  const delayDiffers = (newSet.spec?.minReadySeconds ?? 0) !== (deployment.spec?.minReadySeconds ?? 0)
  if (Object.keys(wanted).length === 0 && !delayDiffers) return undefined
  return { set: newSet, annotations: wanted }
}

/** Old sets beyond the history that shall be kept, oldest first; only empty ones. */
function outdated(deployment: Dep, old: readonly Rs[]): readonly Rs[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const tooMany = alive.length - limit
  if (tooMany <= 0) return []
  return [...alive]
    .sort((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, tooMany)
    .filter(
      (set) =>
        sizeOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    )
}

/** The longest deadline there is means that there is none. */
function hasDeadline({ spec }: Dep): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2_147_483_647
}

function isComplete(deployment: Dep, status: Counts = deployment.status ?? {}): boolean {
  const wanted = wantedOf(deployment)
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

function pausedConditions(deployment: Dep, now: Date): Conditions {
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

interface Reported extends Parts {
  /** Whether progress is to be told: not while the Deployment is only being scaled. */
  readonly estimate: boolean
  readonly resize?: Sizes
  readonly remove?: readonly Rs[]
  /** Pods of a set that is about to be created. */
  readonly coming?: number
}

function report({ deployment, now }: DeploymentSnapshot, reported: Reported): DeploymentDecision {
  const { newSet, old, annotate, estimate, resize = new Map(), remove = [], coming = 0 } = reported
  const all = [...old, ...(newSet === undefined ? [] : [newSet])]
  const available = sum(all, availableOf)
  const unavailable = Math.max(0, sum(all, sizeOf) + coming - available)
  const terminating = all.map(
    ({ status }) => (status as { terminatingReplicas?: number } | undefined)?.terminatingReplicas,
  )
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero({
      replicas: sum(all, ({ status }) => status?.replicas ?? 0),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: sum(all, ({ status }) => status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: unavailable,
    }),
    ...(!terminating.includes(undefined) && {
      terminatingReplicas: terminating.reduce<number>((total, count) => total + (count ?? 0), 0),
    }),
  }
  const enough = available >= wantedOf(deployment) - fenceposts(deployment).unavailable
  let conditions = reported.conditions
  if (estimate && newSet !== undefined && hasDeadline(deployment) && !find(conditions, 'Progressing')) {
    conditions = set(
      conditions,
      {
        type: 'Progressing',
        status: 'True',
        reason: 'FoundNewReplicaSet',
        message: `Found new replica set "${newSet.metadata.name}"`,
      },
      now,
    )
  }
  conditions = set(
    conditions,
    enough
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    now,
  )
  if (estimate) conditions = progressConditions(deployment, newSet, counts, conditions, now)
  conditions = failureConditions(all, newSet, conditions, now)
  const { collisionCount } = deployment.status ?? {}
  const revision = newSet?.metadata.annotations?.[revisionAnnotation]
  const lookAgainInMs = estimate ? untilDeadline(deployment, counts, conditions, now) : undefined
  return {
    ...(annotate && { annotate }),
    resize,
    remove,
    ...(revision !== undefined &&
      annotate === undefined &&
      deployment.metadata.annotations?.[revisionAnnotation] !== revision && { revision }),
    status: {
      ...counts,
      ...(conditions.length > 0 && { conditions }),
      ...(collisionCount && { collisionCount }),
    },
    ...(lookAgainInMs !== undefined && { lookAgainInMs }),
  }
}

function progressConditions(
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
function untilDeadline(
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
function failureConditions(
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

function nonZero<C extends Record<string, number>>(counts: C): Partial<C> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)) as Partial<C>
}
