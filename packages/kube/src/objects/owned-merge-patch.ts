import { fieldsOwnedBy, type OwnedFields } from './managed-fields.ts'
import { applyMergePatch, isObject, isSameJson, type MergePatch, valueIn } from './merge-patch.ts'

/** In what is wanted: whatever we set here shall go; what others set here stays. (Null: it shall go, whosever it is.) */
export const REMOVE_IF_OWNED = Symbol('absent, if ours')

/** What is wanted of an object: as much of it as matters. */
export type Wanted<T> = T extends readonly (infer E)[]
  ? readonly Wanted<E>[]
  : T extends object
    ? { readonly [P in keyof T]?: Wanted<T[P]> | typeof REMOVE_IF_OWNED | null | undefined }
    : T

/**
 * Maps whose keys the spec chooses: what we set there and want no more goes, without being named. The server does not
 * divide them, so that the last writer owns all of it.
 */
const freeMaps = new Set(['nodeSelector'])

/** The keys that identify the items of a list; lists that are not here are replaced whole. */
const itemKeys: Readonly<Record<string, (item: MergePatch) => string>> = {
  containers: ({ name }) => String(name),
  initContainers: ({ name }) => String(name),
  env: ({ name }) => String(name),
  volumes: ({ name }) => String(name),
  volumeMounts: ({ mountPath }) => String(mountPath),
  ports: ({ containerPort, port, protocol = 'TCP' }) => [containerPort ?? port, protocol].join('/'),
}

/**
 * The merge patch that brings a live object to what we want of it, or undefined when there is nothing to do.
 *
 * Only what is named in `wanted` is touched. An item of a list that we (the field manager) put there earlier and do
 * no longer want is removed; one that another manager put there stays, and so do the server's defaults.
 */
export function ownedMergePatch(live: object, wanted: object, manager: string): MergePatch | undefined {
  return changes(live as MergePatch, wanted as MergePatch, fieldsOwnedBy(manager, live))
}

function changes(live: MergePatch, wanted: MergePatch, owned: OwnedFields): MergePatch | undefined {
  let patch: MergePatch | undefined
  for (const field of Object.keys(wanted)) {
    const change = changeOf(field, valueIn(live, field), wanted[field], owned)
    if (change === undefined) continue
    patch ??= {}
    patch[field] = change
  }
  return patch
}

/** @returns what to put into the patch for this field; undefined when it is as it should be */
function changeOf(field: string, have: unknown, want: unknown, owned: OwnedFields): unknown {
  if (want === undefined) return undefined
  if (want === null) return have === undefined ? undefined : null
  if (want === REMOVE_IF_OWNED) return have !== undefined && owned.has(field) ? null : undefined
  if (isObject(want)) return changeOfObject(field, isObject(have) ? have : {}, want, owned.in(field))
  if (!Array.isArray(want)) return have === want ? undefined : want
  const next = listTowards(field, asList(have), want, owned.in(field))
  return isSameJson(asList(have), next) ? undefined : next
}

function changeOfObject(
  field: string,
  have: MergePatch,
  want: MergePatch,
  owned: OwnedFields,
): MergePatch | undefined {
  const patch = changes(have, want, owned)
  if (!freeMaps.has(field) || !owned.isUndivided) return patch
  const unwanted = Object.keys(have).filter((key) => !Object.hasOwn(want, key))
  if (unwanted.length === 0) return patch
  return { ...patch, ...Object.fromEntries(unwanted.map((key) => [key, null])) }
}

/** The list as it should be: our items as we want them, others' items where they were. */
function listTowards(
  field: string,
  have: readonly unknown[],
  want: readonly unknown[],
  owned: OwnedFields,
): readonly unknown[] {
  const keyOf = itemKeys[field]
  if (keyOf === undefined) return want
  const missing = new Map(want.filter(isObject).map((item) => [keyOf(item), item]))
  const kept: unknown[] = []
  for (const item of have.filter(isObject)) {
    const wanted = missing.get(keyOf(item))
    const ownedOfItem = owned.ofItem(item)
    missing.delete(keyOf(item))
    if (wanted !== undefined) kept.push(brought(item, changes(item, wanted, ownedOfItem)))
    else if (!ownedOfItem.isWhole) kept.push(item)
  }
  return [...kept, ...missing.values()]
}

function brought(item: MergePatch, patch: MergePatch | undefined): MergePatch {
  return patch === undefined ? item : applyMergePatch(item, patch)
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
