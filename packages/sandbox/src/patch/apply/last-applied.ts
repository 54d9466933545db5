import { goJson } from '../go-text.ts'
import { isObject, type Json, type JsonObject, setValue, valueAt } from '../json-value.ts'
import { compare } from './compare.ts'
import { difference, type FieldSet, isEmpty, noFields } from './field-set.ts'
import type { Conflict } from './ownership.ts'
import { toFieldSet } from './to-field-set.ts'
import type { FieldType } from './typed-schema.ts'
import { problemsOf } from './validate.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
const mostAnnotationBytes = 256 * 1024

/**
 * Without the conflicts over fields that kubectl applied on the client's side before, and that no manager has changed since:
 * those are its own.
 */
export function withoutOwnFromBefore(
  conflicts: readonly Conflict[],
  live: JsonObject,
  apiVersion: string,
  type: FieldType,
): Conflict[] {
  const own = fieldsFromBefore(live, apiVersion, type)
  return conflicts
    .map(({ manager, fields }) => ({ manager, fields: difference(fields, own) }))
    .filter(({ fields }) => !isEmpty(fields))
}

function fieldsFromBefore(live: JsonObject, apiVersion: string, type: FieldType): FieldSet {
  const before = lastApplied(live)
  if (before === undefined || valueAt(before, 'apiVersion') !== apiVersion) return noFields
  if (problemsOf(before, type, { duplicates: 'forbidden' }).length > 0) return noFields
  const { removed, modified, added } = compare(before, live, type)
  return [modified, added, removed].reduce(difference, toFieldSet(before, type))
}

function lastApplied(object: JsonObject): JsonObject | undefined {
  const text = annotationOf(object)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function annotationOf(object: JsonObject): string | undefined {
  const metadata = valueAt(object, 'metadata')
  const annotations = isObject(metadata) ? valueAt(metadata, 'annotations') : undefined
  const text = isObject(annotations) ? valueAt(annotations, annotation) : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Keeps the annotation of an object that has one in step with what kubectl applies on the server's side. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  if (annotationOf(object) === undefined) return object
  const metadata = { ...(valueAt(object, 'metadata') as JsonObject) }
  const annotations = { ...(valueAt(metadata, 'annotations') as JsonObject) }
  annotations[annotation] = `${goJson(withoutAnnotation(applied), { keys: 'sorted' })}\n`
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + bytesOf(key) + bytesOf(value),
    0,
  )
  if (bytes > mostAnnotationBytes) delete annotations[annotation]
  return { ...object, metadata: { ...metadata, annotations } }
}

function bytesOf(value: Json): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = valueAt(applied, 'metadata')
  const annotations = isObject(metadata) ? valueAt(metadata, 'annotations') : undefined
  if (!isObject(metadata) || !isObject(annotations)) return applied
  const others: JsonObject = {}
  for (const [name, value] of Object.entries(annotations))
    if (name !== annotation) setValue(others, name, value)
  return { ...applied, metadata: { ...metadata, annotations: others } }
}
