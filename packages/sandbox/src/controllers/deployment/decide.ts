import type { Cached } from '@portcullis/kube'
import type { ReplicaSet } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { isFinished } from '../pods.ts'
import { type Conditions, find, set } from './conditions.ts'
import {
  failureConditions,
  hasDeadline,
  isComplete,
  pausedConditions,
  progressConditions,
  untilDeadline,
} from './progress.ts'
import {
  type AnnotatedSet,
  annotationsToBring,
  newReplicaSet,
  outdated,
  revisionAnnotation,
} from './revisions.ts'
import {
  availableOf,
  byAge,
  type Dep,
  desiredAnnotation,
  fenceposts,
  isActiveSet,
  isRolling,
  newSetSize,
  type Rs,
  type Sizes,
  scaleInProportion,
  shrinkOld,
  sizeOf,
  sum,
  wantedOf,
} from './sizes.ts'
import { sameTemplate } from './template-hash.ts'

export interface DeploymentSnapshot {
  readonly deployment: Dep
  /** All that it owns. */
  readonly replicaSets: readonly Rs[]
  /** Pods of those, by the uid of their ReplicaSet. */
  readonly podsOf: (replicaSetUid: string) => Iterable<Cached<Pod>>
  readonly now: Date
}

/** What one look at a Deployment leads to, in the order in which it is carried out. */
export interface DeploymentDecision {
  readonly create?: ReplicaSet
  /** Brings the new set's annotations up to date. */
  readonly annotate?: AnnotatedSet
  readonly resize: Sizes
  readonly remove: readonly Rs[]
  /** To be written on the Deployment. */
  readonly revision?: string
  readonly status: object
  readonly requeueAfterMs?: number
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

interface Reported extends Parts {
  /** Whether progress is reported: not while the Deployment is only being scaled. */
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
  const requeueAfterMs = estimate ? untilDeadline(deployment, counts, conditions, now) : undefined
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
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
  }
}

function nonZero<C extends Record<string, number>>(counts: C): Partial<C> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)) as Partial<C>
}
