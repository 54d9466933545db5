import { ownerReference } from '@portcullis/kube'
import type { ReplicaSet } from 'kubernetes-types/apps/v1'
import {
  type Dep,
  desiredAnnotation,
  fenceposts,
  maxAnnotation,
  newSetSize,
  type Rs,
  sizeOf,
  wantedOf,
} from './sizes.ts'
import { templateHash, templateHashLabel } from './template-hash.ts'

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

/** The set of a template that has none yet, as the next revision. */
export function newReplicaSet(deployment: Dep, old: readonly Rs[]): ReplicaSet {
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

/** Written whenever a set is resized: a later reconcile sees from them that the Deployment was scaled. */
export function sizeAnnotations(deployment: Dep): Record<string, string> {
  const wanted = wantedOf(deployment)
  return {
    [desiredAnnotation]: String(wanted),
    [maxAnnotation]: String(wanted + fenceposts(deployment).surge),
  }
}

export interface AnnotatedSet {
  readonly set: Rs
  readonly annotations: Readonly<Record<string, string>>
}

const revisionOf = ({ metadata }: Rs): number => Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0
const latestRevision = (sets: readonly Rs[]): number => Math.max(0, ...sets.map(revisionOf))

/** What is to be written on a set so that it has the annotations of its Deployment and is the latest revision. */
export function annotationsToBring(
  deployment: Dep,
  newSet: Rs,
  old: readonly Rs[],
): AnnotatedSet | undefined {
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
export function outdated(deployment: Dep, old: readonly Rs[]): readonly Rs[] {
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
