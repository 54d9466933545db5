import { isSameJson, timestamp } from '@portcullis/kube'
import type { Schema } from '@portcullis/schema'
import { isObject, type Json, type JsonObject, setValue, valueAt, withSortedKeys } from '../json-value.ts'
import { badRequest, internalError } from '../patch-refused.ts'
import { capUpdaters } from './cap-updaters.ts'
import { conflictRefused } from './conflict.ts'
import { emptyObject } from './empty-object.ts'
import { difference, fieldSet, isEmpty, union } from './field-set.ts'
import { withLastApplied, withoutOwnFromBefore } from './last-applied.ts'
import { decodeOwners, encodeOwners, idOf, isReset, type Manager, type Owners } from './managed-fields.ts'
import { type Applied, apply, type Domain, ownersAfterUpdate } from './ownership.ts'
import { field } from './path-element.ts'
import { objectType } from './typed-schema.ts'
import { joinProblems, problemsOf } from './validate.ts'

/** Where a write comes in, by whom and when. */
export interface Write {
  /** The kind's own, with group and version as objects give them: `v1`, `apps/v1`. */
  readonly kind: { readonly apiVersion: string; readonly kind: string; readonly schema: Schema }
  /** Whether the kind comes from a CustomResourceDefinition. */
  readonly isCustom: boolean
  readonly manager: string
  readonly now: Date
  /** `status`, for instance; none for the main resource. */
  readonly subresource?: string | undefined
  /** What a write through this door leaves as it is, as paths of field names: `[['status']]`. */
  readonly resetFields?: readonly (readonly string[])[]
  /** Whether a version of the kind is still served; its managers are dropped with it. All are by default. */
  readonly isServed?: (apiVersion: string) => boolean
  /** Why the real server cannot convert what it makes for an apply, if so: it then refuses whatever needs that. */
  readonly unconvertible?: string | undefined
}

/**
 * The object that a create, an update or a patch other than apply wants to store, with `metadata.managedFields` as they
 * are after it. To be called when the object has been decoded and defaulted, and before anything else is done to it.
 * Without a live object it is a create.
 */
export function updateManagedFields(
  live: JsonObject | undefined,
  updated: JsonObject,
  write: Write,
): JsonObject {
  const bare = withoutManagedFields(updated)
  const owners = ownersForUpdate(live, updated, write)
  const domain = domainOf(write)
  if (owners.size === 0 && live !== undefined) return bare
  const before = live === undefined ? emptyFor(write) : withoutManagedFields(live)
  const isTyped = [before, bare].every(
    (value) => problemsOf(value, domain.type, { duplicates: 'allowed' }).length === 0,
  )
  if (!isTyped || hasForeignOwner(owners, write)) return bare
  const after = afterUpdate(before, bare, owners, { write, domain, name: write.manager })
  return withManagedFields(bare, capUpdaters(after), write)
}

/** The fields of another group's kind are not known in a custom resource, and then no manager owns a field. */
function hasForeignOwner(owners: Owners, { isCustom, kind }: Write): boolean {
  const group = (apiVersion: string) => apiVersion.slice(0, apiVersion.lastIndexOf('/') + 1)
  return (
    isCustom &&
    [...owners.values()].some(({ manager }) => group(manager.apiVersion) !== group(kind.apiVersion))
  )
}

/** Lays an applied configuration over the live object. Without a live object it creates one. */
export function applyConfiguration(
  live: JsonObject | undefined,
  applied: JsonObject,
  write: Write & { readonly force: boolean },
): JsonObject {
  checkApplied(applied, write)
  const domain = domainOf(write)
  const before = withoutManagedFields(live ?? {})
  const stored = decodeStored(live ?? {})
  if (stored.size === 0)
    refuseUnconvertible('to create manager for existing fields: failed to convert live', {}, write)
  const { manager, result } = applyAs(before, applied, stored, { write, domain })
  if (result.conflicts !== undefined) throw conflictRefused(result.conflicts)
  const value = isObject(result.value) ? result.value : {}
  const isUnchanged = live !== undefined && isSameJson(before, value)
  if (!isUnchanged) refuseUnconvertible('to convert new', applied, write)
  const owners = stripped(result.owners, idOf(manager))
  const own = owners.get(idOf(manager))
  const timed = new Map(owners)
  if (own !== undefined && !isUnchanged) timed.set(idOf(manager), { ...own, time: timestamp(write.now) })
  const object = withManagedFields(isUnchanged ? before : value, timed, write)
  return write.manager === 'kubectl' ? withLastApplied(object, applied) : object
}

/** kubectl's own fields from before it applied on the server's side are no conflict. */
function applyAs(
  before: JsonObject,
  applied: JsonObject,
  stored: Owners,
  { write, domain }: { readonly write: Write & { readonly force: boolean }; readonly domain: Domain },
): { readonly manager: Manager; readonly result: Applied } {
  check(applied, 'patch', 'forbidden', { write, domain })
  const owners =
    stored.size === 0 && Object.keys(before).length > 0
      ? afterUpdate(emptyFor(write), before, stored, { write, domain, name: 'before-first-apply' })
      : stored
  check(before, 'live', 'allowed', { write, domain })
  const manager = managerOf(write, 'Apply', write.manager)
  const result = apply(before, applied, owners, { manager, force: write.force, domain })
  if (result.conflicts === undefined || write.manager !== 'kubectl') return { manager, result }
  const conflicts = withoutOwnFromBefore(result.conflicts, before, write.kind.apiVersion, domain.type)
  if (conflicts.length > 0) return { manager, result: { conflicts } }
  return { manager, result: apply(before, applied, owners, { manager, force: true, domain }) }
}

interface Frame {
  readonly write: Write
  readonly domain: Domain
}

function check(
  value: JsonObject,
  what: 'patch' | 'live',
  duplicates: 'allowed' | 'forbidden',
  frame: Frame,
): void {
  const problems = problemsOf(value, frame.domain.type, { duplicates })
  if (problems.length === 0) return
  const object = identified(value, frame.write)
  throw internalError(`failed to create typed ${what} object (${object}): ${joinProblems(problems)}`)
}

function refuseUnconvertible(failed: string, value: JsonObject, write: Write): void {
  if (write.unconvertible === undefined) return
  const object = identified(value, write)
  throw internalError(`failed ${failed} object (${object}) to proper version: ${write.unconvertible}`)
}

/** How messages name an object. */
function identified(value: JsonObject, { kind: { apiVersion, kind } }: Write): string {
  const metadata = valueAt(value, 'metadata')
  const of = (name: string) => (isObject(metadata) ? textAt(metadata, name) : '')
  return `${of('namespace')}/${of('name')}; ${groupVersionOf(apiVersion)}, Kind=${kind}`
}

function checkApplied(applied: JsonObject, { kind }: Write): void {
  const apiVersion = textAt(applied, 'apiVersion')
  const kindName = textAt(applied, 'kind')
  if (apiVersion !== kind.apiVersion || kindName !== kind.kind) {
    throw badRequest(`invalid object type: ${groupVersionOf(apiVersion)}, Kind=${kindName}`)
  }
  const metadata = valueAt(applied, 'metadata')
  const entries = isObject(metadata) ? valueAt(metadata, 'managedFields') : undefined
  if (Array.isArray(entries)) throw badRequest('metadata.managedFields must be nil')
}

function textAt(object: JsonObject, name: string): string {
  const value = valueAt(object, name)
  return typeof value === 'string' ? value : ''
}

/** Go writes the core group as an empty one: `/v1`. */
function groupVersionOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
}

function decodeStored(live: JsonObject): Owners {
  try {
    return decodeOwners(managedFieldsOf(live))
  } catch (error) {
    throw internalError(
      `failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function afterUpdate(
  before: Json,
  after: Json,
  owners: Owners,
  { write, domain, name }: Frame & { readonly name: string },
): Owners {
  const { owners: remaining, changed } = ownersAfterUpdate(before, after, owners, domain)
  const fields = difference(changed, neverOwned)
  if (isEmpty(fields)) return remaining
  const manager = managerOf(write, 'Update', name)
  const id = idOf(manager)
  const own = remaining.get(id)
  const all = own === undefined ? fields : union(fields, own.fields)
  return new Map(remaining).set(id, { manager, fields: all, time: timestamp(write.now) })
}

function managerOf(
  { kind, subresource = '' }: Write,
  operation: Manager['operation'],
  name: string,
): Manager {
  return { name: name === '' ? 'unknown' : name, operation, apiVersion: kind.apiVersion, subresource }
}

function domainOf({ kind, resetFields = [], isServed = () => true }: Write): Domain {
  return {
    type: objectType(kind.schema),
    resetFields: fieldSet(resetFields.map((path) => path.map(field))),
    isServed,
  }
}

/** Fields that come with an object or that only the server sets have no owner. */
const neverOwned = fieldSet([
  [field('apiVersion')],
  [field('kind')],
  [field('metadata')],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [field('metadata'), field(name)]),
])

function stripped(owners: Owners, id: string): Owners {
  const owner = owners.get(id)
  if (owner === undefined) return owners
  const rest = new Map(owners)
  const fields = difference(owner.fields, neverOwned)
  if (isEmpty(fields)) rest.delete(id)
  else rest.set(id, { ...owner, fields })
  return rest
}

/**
 * What a request says of managed fields counts, except through a subresource; but a client that knows nothing of them,
 * or says what cannot be understood, changes nothing.
 */
function ownersForUpdate(
  live: JsonObject | undefined,
  updated: JsonObject,
  { subresource, isCustom }: Write,
): Owners {
  const stored = () => decodedOrNone(live === undefined ? undefined : managedFieldsOf(live))
  if (subresource !== undefined && subresource !== '') return stored()
  const given = managedFieldsOf(updated)
  if (isReset(given, { emptyListCounts: !isCustom })) return new Map()
  const owners = decodedOrNone(given)
  return owners.size === 0 ? stored() : owners
}

function decodedOrNone(entries: Json | undefined): Owners {
  try {
    return decodeOwners(entries)
  } catch {
    return new Map()
  }
}

function emptyFor({ kind, isCustom }: Write): JsonObject {
  return isCustom ? {} : emptyObject(kind.schema)
}

function managedFieldsOf(object: JsonObject): Json | undefined {
  const metadata = valueAt(object, 'metadata')
  return isObject(metadata) ? valueAt(metadata, 'managedFields') : undefined
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = valueAt(object, 'metadata')
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object
  const { managedFields: _, ...others } = metadata
  return { ...object, metadata: others }
}

/** Custom resources come out with their keys sorted, and so do the fields of their managers. */
function withManagedFields(object: JsonObject, owners: Owners, { isCustom }: Write): JsonObject {
  if (owners.size === 0) return object
  const entries = encodeOwners(owners) as unknown as Json
  const metadata = valueAt(object, 'metadata')
  return {
    ...object,
    metadata: {
      ...(isObject(metadata) ? metadata : {}),
      managedFields: isCustom ? sorted(entries) : entries,
    },
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const result = withSortedKeys(value)
  for (const [name, child] of Object.entries(result)) setValue(result, name, sorted(child))
  return result
}
