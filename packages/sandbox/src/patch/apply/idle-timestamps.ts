import { isSameJson } from '@portcullis/kube'
import { isObject, type Json, type JsonObject, valueAt } from '../json-value.ts'

/**
 * The object that a write wants to store; with the times of the managed fields as they were, if nothing else has changed
 * at all. To be called last, so that a write without effect makes no new version.
 */
export function withoutIdleTimestamps(live: JsonObject, updated: JsonObject): JsonObject {
  const before = entriesOf(live)
  const after = entriesOf(updated)
  if (before.length !== after.length || after.length === 0) return updated
  if (!isSameJson(before.map(timeless), after.map(timeless))) return updated
  return isSameJson(timelessObject(live), timelessObject(updated)) ? withEntries(updated, before) : updated
}

function entriesOf(object: JsonObject): Json[] {
  const metadata = valueAt(object, 'metadata')
  const entries = isObject(metadata) ? valueAt(metadata, 'managedFields') : undefined
  return Array.isArray(entries) ? entries : []
}

function timeless(entry: Json): Json {
  if (!isObject(entry)) return entry
  const { time: _, ...rest } = entry
  return rest
}

/** The resource version is not the writer's. */
function timelessObject(object: JsonObject): JsonObject {
  const metadata = valueAt(object, 'metadata')
  if (!isObject(metadata)) return object
  const { managedFields: _, resourceVersion: __, ...rest } = metadata
  return { ...object, metadata: rest }
}

function withEntries(object: JsonObject, managedFields: Json[]): JsonObject {
  const metadata = valueAt(object, 'metadata')
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), managedFields } }
}
