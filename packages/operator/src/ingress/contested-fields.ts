import {
  isObject,
  type Kind,
  keyOf,
  type MergePatch,
  type ObjectRef,
  Service,
  type WriteConflict,
  windowEnd,
} from '@portcullis/kube'
import type { Action, Update } from './decision.ts'
import { IngressController } from './kinds.ts'
import { routerName } from './names.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Another client may write our operands (an autoscaler, GitOps, another operator, a webhook) and want them different.
 * After a few rounds the field is left to it, a condition names it, and once in a while we try again.
 */
export interface ContestedField extends WriteConflict {
  readonly kind: Kind
  readonly ref: ObjectRef
  /** Empty for the object itself, which another client keeps deleting. */
  readonly path: readonly string[]
  /** Whether they take it away; of those who do, the API server keeps no account. */
  readonly isRemoved: boolean
  /** By the name of their field manager; undefined where they write under ours, as webhooks do. */
  readonly manager: string | undefined
}

export interface BackedOff {
  /** The actions without a conflict. */
  readonly actions: readonly Action[]
  /** What is left to others for now, or was until a moment ago. */
  readonly contested: readonly ContestedField[]
  /** Then we try again, or the contest is over. */
  readonly requeueAt: Date | undefined
}

/** For so long a contested field is left to the other manager. */
const backoffMs = 5 * 60_000
/** Where it is at stake who reaches the routers, or whether there are any. */
const shortBackoffMs = 60_000
/** What stayed as we wrote it for so long is not contested any more. */
const quietMs = 60_000

/** Half a pod template would be routers that no one requested: it is ours as a whole, or theirs. */
const podTemplate = ['spec', 'template']

/** Takes from the actions what others keep changing. */
export function backOff(snapshot: Snapshot, actions: readonly Action[]): BackedOff {
  const contested = new Map<ContestedField, Date>()
  const { contestedFields, now } = snapshot
  const leaves = (field: ContestedField) => {
    const until = windowEnd(field, paceMs(field, snapshot), now)
    if (until !== undefined) contested.set(field, until)
    return until !== undefined
  }
  const differing = new Set<ContestedField>()
  const held = new Set<string>()
  const left = actions.flatMap((action) => {
    const concerned = contestedFields.filter((field) => isAbout(field, action))
    concerned.forEach((field) => differing.add(field))
    const given = concerned.filter(leaves)
    if (given.length === 0) return [action]
    held.add(idOf(action.kind, action.object.metadata))
    return withoutFields(action, given)
  })
  // Nothing is made before it is sure to be cleaned up; what is there is mended all the same.
  const waits = ({ do: verb, dependsOn }: Action) =>
    verb === 'create' && dependsOn.some(({ kind, ref }) => held.has(idOf(kind, ref)))
  for (const field of contestedFields) {
    const until = differing.has(field) ? undefined : windowEnd(field, quietMs, now)
    if (until !== undefined) contested.set(field, until)
  }
  const times = [...contested.values()].map((until) => until.getTime())
  return {
    actions: left.filter((action) => !waits(action)),
    contested: [...contested.keys()],
    requeueAt: times.length === 0 ? undefined : new Date(Math.min(...times)),
  }
}

function idOf({ kind }: Kind, ref: ObjectRef): string {
  return `${kind} ${keyOf(ref)}`
}

function paceMs(field: ContestedField, snapshot: Snapshot): number {
  const isAtStake = field.path.length === 0 || field.kind === IngressController
  return isAtStake || isOfLoadBalancer(field, snapshot) ? shortBackoffMs : backoffMs
}

export function isOfLoadBalancer({ kind, ref }: ContestedField, { controller }: Snapshot): boolean {
  return kind === Service && ref.name === routerName(controller.metadata.name)
}

function isAbout(field: ContestedField, action: Action): boolean {
  if (field.kind !== action.kind || keyOf(field.ref) !== keyOf(action.object.metadata)) return false
  if (action.do === 'create') return field.path.length === 0
  return action.do === 'update' && field.path.length > 0 && valueAt(field.path, action.patch) !== undefined
}

function withoutFields(action: Action, fields: readonly ContestedField[]): Action[] {
  if (action.do !== 'update') return []
  const patch = fields.reduce<MergePatch | undefined>(
    (rest, { path }) => rest && withoutPath(rest, path),
    action.patch,
  )
  // What it announces may be what is left out.
  const { event: _, ...rest } = action
  return patch === undefined ? [] : [{ ...rest, patch } satisfies Update]
}

/** @returns undefined when nothing is left */
function withoutPath(patch: MergePatch, [field = '', ...below]: readonly string[]): MergePatch | undefined {
  const { [field]: value, ...rest } = patch
  const kept = below.length > 0 && isObject(value) ? withoutPath(value, below) : undefined
  const left = kept === undefined ? rest : { ...rest, [field]: kept }
  return Object.keys(left).length === 0 ? undefined : left
}

/** The fields that an action writes; for the object as a whole, one without a path. */
export function fieldsWritten(action: Action): (readonly string[])[] {
  if (action.do === 'update') return [...pathsIn(action.patch, [])]
  return action.do === 'create' ? [[]] : []
}

function* pathsIn(value: unknown, path: readonly string[]): Iterable<readonly string[]> {
  const isWhole = path.join() === podTemplate.join()
  if (isWhole || !isObject(value) || Object.keys(value).length === 0) yield path
  else for (const [field, child] of Object.entries(value)) yield* pathsIn(child, [...path, field])
}

export function valueAt(path: readonly string[], patch: unknown): unknown {
  return path.reduce(
    (value, field) => (isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined),
    patch,
  )
}
