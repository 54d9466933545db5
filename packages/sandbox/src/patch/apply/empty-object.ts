import type { Schema } from '@portcullis/schema'
import { type Json, type JsonObject, setValue } from '../json-value.ts'

/** An object of a built-in kind before anything has been said of it: what Go's zero value looks like as JSON. */
export function emptyObject(schema: Schema): JsonObject {
  const object: JsonObject = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value =
      name === 'apiVersion' || name === 'kind' || name === 'metadata' ? undefined : emptyField(property)
    if (value !== undefined) setValue(object, name, value)
  }
  return { ...object, metadata: {} }
}

function emptyField(schema: Schema): Json | undefined {
  const { pointer = false, omit } = schema['x-go'] ?? {}
  if (isStruct(schema) && !pointer) return omit === 'zero' ? undefined : emptyStruct(schema)
  if (omit !== undefined) return undefined
  if (pointer) return null
  if (schema.type === 'string') return schema.format === undefined || schema.format === '' ? '' : null
  if (schema.type === 'boolean') return false
  return schema.type === 'integer' || schema.type === 'number' ? 0 : null
}

function isStruct(schema: Schema): boolean {
  return schema.type === 'object' && schema.properties !== undefined
}

function emptyStruct(schema: Schema): JsonObject {
  const struct: JsonObject = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = emptyField(property)
    if (value !== undefined) setValue(struct, name, value)
  }
  return struct
}
