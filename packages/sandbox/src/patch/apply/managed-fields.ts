import { compareBytes, type Json, type JsonObject } from '../json-value.ts'
import type { FieldSet } from './field-set.ts'
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts'

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonObject
  subresource?: string
}

/** An owner of fields. Two entries with the same `id` are one. */
export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  /** Empty for the main resource. */
  readonly subresource: string
}

export interface Owner {
  readonly manager: Manager
  readonly fields: FieldSet
  readonly time: string | undefined
}

/** All owners of an object's fields, by the id of the manager. */
export type Owners = ReadonlyMap<string, Owner>

/** An applier is the same in every version; an updater is another one in each. */
export function idOf({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource])
}

/** Throws for entries that no API server has written. */
export function decodeOwners(entries: unknown): Owners {
  const owners = new Map<string, Owner>()
  for (const entry of asEntries(entries)) {
    const owner = decodeOwner(entry)
    owners.set(idOf(owner.manager), owner)
  }
  return owners
}

export function asEntries(entries: unknown): ManagedFieldsEntry[] {
  return Array.isArray(entries) ? (entries as ManagedFieldsEntry[]) : []
}

function decodeOwner(entry: ManagedFieldsEntry): Owner {
  const {
    manager = '',
    operation,
    apiVersion = '',
    subresource = '',
    fieldsType,
    fieldsV1 = {},
    time,
  } = entry
  if (operation !== 'Apply' && operation !== 'Update')
    throw new SyntaxError('operation must be `Apply` or `Update`')
  if (apiVersion === '') throw new SyntaxError('apiVersion must not be empty')
  if (fieldsType !== 'FieldsV1') throw new SyntaxError(`invalid fieldsType ${JSON.stringify(fieldsType)}`)
  return {
    manager: { name: manager, operation, apiVersion, subresource },
    fields: fromFieldsV1(fieldsV1),
    time: time ?? undefined,
  }
}

/** As the API server writes them: appliers before updaters, the older before the younger. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()].sort(compareOwners).map(encodeOwner)
}

function encodeOwner({ manager, fields, time }: Owner): ManagedFieldsEntry {
  return {
    ...(manager.name === '' ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareBytes(a.manager.operation, b.manager.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareBytes(a.manager.name, b.manager.name) ||
    compareBytes(a.manager.apiVersion, b.manager.apiVersion) ||
    compareBytes(a.manager.subresource, b.manager.subresource)
  )
}

export function secondsOf({ time }: Pick<Owner, 'time'>): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)
}

/**
 * Whether a write asks to remove all managedFields: with a list that is empty, or has one empty entry. Of a custom
 * resource's empty list nothing is left when it has been decoded.
 */
export function isReset(
  entries: Json | undefined,
  { emptyListCounts }: { readonly emptyListCounts: boolean },
): boolean {
  if (!Array.isArray(entries)) return false
  const [first, ...others] = entries
  if (first === undefined) return emptyListCounts
  return (
    others.length === 0 && typeof first === 'object' && (first === null || Object.keys(first).length === 0)
  )
}
