import type { Cached } from '@portcullis/kube'
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1'

export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas'

export type Dep = Cached<Deployment>
export type Rs = Cached<ReplicaSet>

export const wantedOf = ({ spec }: Dep): number => spec?.replicas ?? 1
export const sizeOf = ({ spec }: Rs): number => spec?.replicas ?? 0
export const availableOf = ({ status }: Rs): number => status?.availableReplicas ?? 0
export const isActiveSet = (set: Rs): boolean => sizeOf(set) > 0
export const sum = (sets: readonly Rs[], of: (set: Rs) => number): number =>
  sets.reduce((total, set) => total + of(set), 0)

export const isRolling = ({ spec }: Dep): boolean => spec?.strategy?.type !== 'Recreate'

/** How many pods there may be beyond, and how many may be missing. Both zero would never get anywhere. */
export function fenceposts(deployment: Dep): { readonly surge: number; readonly unavailable: number } {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 }
  const wanted = wantedOf(deployment)
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {}
  const surge = scaled(maxSurge ?? 0, wanted, Math.ceil)
  const unavailable = scaled(maxUnavailable ?? 0, wanted, Math.floor)
  const corrected = surge === 0 && unavailable === 0 ? 1 : unavailable
  return { surge, unavailable: wanted === 0 ? 0 : Math.min(corrected, wanted) }
}

/** A number, or a share of `total` like `25%`. */
export function scaled(value: number | string, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value
  const number = Number.parseInt(value, 10)
  return value.endsWith('%') ? round((number * total) / 100) : number
}

/** How large the new set may become now. */
export function newSetSize(deployment: Dep, all: readonly Rs[], current: number): number {
  const wanted = wantedOf(deployment)
  if (!isRolling(deployment)) return wanted
  const most = wanted + fenceposts(deployment).surge
  const total = sum(all, sizeOf)
  return total >= most ? current : current + Math.min(most - total, wanted - current)
}

/** Which sets to change, and to what size. */
export type Sizes = ReadonlyMap<Rs, number>

/** Old sets: what is unhealthy goes first, then as much as the available rest allows. */
export function shrinkOld(deployment: Dep, newSet: Rs, old: readonly Rs[]): Sizes {
  const sizes = new Map<Rs, number>()
  const active = old.filter(isActiveSet).sort(byAge)
  if (active.length === 0) return sizes
  const minAvailable = wantedOf(deployment) - fenceposts(deployment).unavailable
  const newUnavailable = sizeOf(newSet) - availableOf(newSet)
  const most = sum([...active, newSet], sizeOf) - minAvailable - newUnavailable
  if (most <= 0) return sizes
  const now = (set: Rs) => sizes.get(set) ?? sizeOf(set)

  let cleaned = 0
  for (const set of active) {
    const unhealthy = Math.min(most - cleaned, sizeOf(set) - availableOf(set))
    if (unhealthy <= 0) continue
    sizes.set(set, sizeOf(set) - unhealthy)
    cleaned += unhealthy
  }
  let spare = sum([...active, newSet], availableOf) - minAvailable
  for (const set of active) {
    const by = Math.min(now(set), spare)
    if (by <= 0) continue
    sizes.set(set, now(set) - by)
    spare -= by
  }
  return sizes
}

/** After the Deployment itself was scaled: all sets in proportion, so that a rollout keeps its pace. */
export function scaleInProportion(deployment: Dep, newSet: Rs | undefined, old: readonly Rs[]): Sizes {
  const wanted = wantedOf(deployment)
  const all = [...old, ...(newSet === undefined ? [] : [newSet])]
  const active = all.filter(isActiveSet)
  const [only] = active
  if (active.length <= 1) {
    const set = only ?? newSet ?? [...old].sort(byAge).at(-1)
    return set === undefined || sizeOf(set) === wanted ? new Map() : new Map([[set, wanted]])
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return new Map(old.filter(isActiveSet).map((set) => [set, 0]))
  }
  if (!isRolling(deployment)) return new Map()

  const allowed = wanted > 0 ? wanted + fenceposts(deployment).surge : 0
  const toAdd = allowed - sum(active, sizeOf)
  const ordered = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)))
  let added = 0
  const sizes = new Map<Rs, number>()
  for (const set of ordered) {
    const share = toAdd === 0 ? 0 : proportion(deployment, set, toAdd, added)
    sizes.set(set, sizeOf(set) + share)
    added += share
  }
  const [largest] = ordered
  if (largest !== undefined && toAdd !== 0) {
    sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added))
  }
  return sizes
}

function proportion(deployment: Dep, set: Rs, toAdd: number, added: number): number {
  if (toAdd === added) return 0
  const allowed = toAdd - added
  const share = fraction(deployment, set)
  return toAdd > 0 ? Math.min(share, allowed) : Math.max(share, allowed)
}

function fraction(deployment: Dep, set: Rs): number {
  const wanted = wantedOf(deployment)
  if (wanted === 0) return -sizeOf(set)
  const before = Number(set.metadata.annotations?.[maxAnnotation] ?? 0) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((sizeOf(set) * (wanted + fenceposts(deployment).surge)) / before) - sizeOf(set)
}

function isSaturated(deployment: Dep, set: Rs): boolean {
  const wanted = wantedOf(deployment)
  return (
    sizeOf(set) === wanted &&
    Number(set.metadata.annotations?.[desiredAnnotation]) === wanted &&
    availableOf(set) === wanted
  )
}

/** Oldest first. */
export function byAge(a: Rs, b: Rs): number {
  const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (first !== second) return first < second ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : 1
}
