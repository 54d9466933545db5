import type { Json } from '../json-value.ts'
import { type Comparison, compare, withoutFields } from './compare.ts'
import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  noFields,
  recursiveDifference,
  union,
} from './field-set.ts'
import { idOf, type Manager, type Owner, type Owners } from './managed-fields.ts'
import { merge } from './merge.ts'
import { withNamedFields } from './named-fields.ts'
import { reconciled } from './reconcile.ts'
import { removeFields } from './remove.ts'
import { toFieldSet } from './to-field-set.ts'
import type { FieldType } from './typed-schema.ts'

/** The version in which ownership is recorded, and which fields a write by this subresource does not touch. */
export interface Domain {
  readonly type: FieldType
  readonly resetFields: FieldSet
  /** Whether a version of the kind still exists; its managers are dropped with it. */
  readonly isServed: (apiVersion: string) => boolean
}

export interface Conflict {
  readonly manager: Manager
  readonly fields: FieldSet
}

/**
 * Who owns what after a write: the writer owns what it changed, and no other manager does any more. The writer's own earlier
 * fields are the caller's to add.
 */
export function ownersAfterUpdate(
  before: Json,
  after: Json,
  owners: Owners,
  domain: Domain,
): { readonly owners: Owners; readonly changed: FieldSet } {
  const current = reconciledOwners(owners, domain)
  const comparison = compare(before, after, domain.type)
  const { removed, modified, added } = withoutFields(comparison, domain.resetFields)
  const changed = union(modified, added)
  const remaining = withoutConflicts(current, changed, removed)
  return { owners: remaining, changed }
}

/** The result of applying, or with whom it conflicts. */
export type Applied =
  | { readonly conflicts: readonly Conflict[] }
  | { readonly conflicts?: never; readonly value: Json; readonly owners: Owners }

/** Lays an applied configuration over the live object, and takes away what its manager applied before and does not now. */
export function apply(
  live: Json,
  applied: Json,
  allOwners: Owners,
  { manager, force, domain }: { readonly manager: Manager; readonly force: boolean; readonly domain: Domain },
): Applied {
  const owners = new Map(reconciledOwners(allOwners, domain))
  const id = idOf(manager)
  const last = owners.get(id)
  const fields = recursiveDifference(toFieldSet(applied, domain.type), domain.resetFields)
  owners.set(id, { manager, fields, time: last?.time })
  const merged = merge(live, applied, domain.type) ?? null
  const value = last === undefined ? merged : prune(merged, owners, last.fields, domain.type)
  const comparison = withoutFields(compare(live, value, domain.type), domain.resetFields)
  const changed = union(comparison.modified, comparison.added)
  const others = new Map(owners)
  others.delete(id)
  const conflicts = conflictsWith(others, changed)
  if (!force && conflicts.length > 0) return { conflicts }
  const remaining = new Map(withoutConflicts(others, changed, comparison.removed))
  if (!isEmpty(fields)) remaining.set(id, { manager, fields, time: last?.time })
  return { value, owners: remaining }
}

function conflictsWith(owners: Owners, changed: FieldSet): Conflict[] {
  return [...owners.values()]
    .map(({ manager, fields }) => ({ manager, fields: intersection(fields, changed) }))
    .filter(({ fields }) => !isEmpty(fields))
}

function withoutConflicts(owners: Owners, changed: FieldSet, removed: Comparison['removed']): Owners {
  const remaining = new Map<string, Owner>()
  for (const [id, owner] of owners) {
    const taken = intersection(owner.fields, changed)
    const fields = difference(difference(owner.fields, taken), removed)
    if (!isEmpty(fields)) remaining.set(id, { ...owner, fields })
  }
  return remaining
}

function reconciledOwners(owners: Owners, domain: Domain): Owners {
  const kept = new Map<string, Owner>()
  for (const [id, owner] of owners) {
    if (!domain.isServed(owner.manager.apiVersion)) continue
    kept.set(id, { ...owner, fields: reconciled(owner.fields, domain.type) })
  }
  return kept
}

/** Removes what was applied last and has no owner now. */
function prune(merged: Json, owners: Owners, last: FieldSet, type: FieldType): Json {
  if (isEmpty(last)) return merged
  const lastNamed = withNamedFields(last, type)
  const bare = removeFields(merged, lastNamed, type)
  const mergedFields = withNamedFields(toFieldSet(merged, type), type)

  let owned = noFields
  for (const { fields } of owners.values()) owned = union(owned, fields)
  const keep = union(withNamedFields(toFieldSet(bare, type), type), withNamedFields(owned, type))
  const pruned = removeFields(merged, difference(mergedFields, keep), type)

  const gone = difference(mergedFields, withNamedFields(toFieldSet(pruned, type), type))
  return removeFields(merged, intersection(gone, lastNamed), type)
}
