import { difference, fieldSet, has, isEmpty } from './field-set.ts'
import {
  decodeOwners,
  encodeOwners,
  idOf,
  type ManagedFieldsEntry,
  type Manager,
  type Owner,
} from './managed-fields.ts'
import { field, type Path } from './path-element.ts'

/** Where a kind that can be scaled keeps the number of its replicas. */
export interface Scalable {
  readonly apiVersion: string
  readonly replicasPath: readonly string[]
}

const scaleVersion = 'autoscaling/v1'
const replicasInScale: Path = [field('spec'), field('replicas')]

/** The managed fields of an object's `Scale`, before a write: those of the owners of the replicas. */
export function managedFieldsOfScale(parentEntries: unknown, parent: Scalable): ManagedFieldsEntry[] {
  const replicas = parent.replicasPath.map(field)
  const owners = new Map<string, Owner>()
  for (const { manager, fields, time } of decodeOwners(parentEntries).values()) {
    if (manager.apiVersion !== parent.apiVersion || !has(fields, replicas)) continue
    const inScale: Manager = { ...manager, apiVersion: scaleVersion }
    owners.set(idOf(inScale), { manager: inScale, fields: fieldSet([replicasInScale]), time })
  }
  return encodeOwners(owners)
}

/**
 * The managed fields of an object after a write of its `Scale`. Who updated is not recognised when it comes back, being
 * of another version, and so gets an entry of its own for the replicas, without a time.
 */
export function managedFieldsAfterScale(
  parentEntries: unknown,
  scaleEntries: unknown,
  parent: Scalable,
): ManagedFieldsEntry[] {
  const replicas = parent.replicasPath.map(field)
  const before = decodeOwners(parentEntries)
  const inScale = new Map(decodeOwners(scaleEntries))
  const after = new Map<string, Owner>()
  for (const [id, owner] of before) {
    if (owner.manager.apiVersion !== parent.apiVersion) continue
    if (!has(owner.fields, replicas) || inScale.delete(id)) {
      after.set(id, owner)
      continue
    }
    const fields = difference(owner.fields, fieldSet([replicas]))
    if (!isEmpty(fields)) after.set(id, { ...owner, fields })
  }
  for (const [id, { manager, fields }] of inScale) {
    if (!has(fields, replicasInScale)) continue
    const own: Manager = { ...manager, apiVersion: parent.apiVersion }
    after.set(id, { manager: own, fields: fieldSet([replicas]), time: before.get(id)?.time })
  }
  return encodeOwners(after)
}
