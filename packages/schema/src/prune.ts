import { decode } from './go-decode.ts'
import { loadKubernetesSchemas } from './kubernetes.ts'
import type { Schema } from './schema.ts'
import { additional, below, fieldSchema, isObject } from './structure.ts'
import { invalid } from './wording.ts'

/** Fields that every object has, whatever its schema says. */
const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Takes out of a custom resource, in place, what its schema does not know, and the nulls that it does not allow.
 * Returns the paths of the fields that were unknown, in the server's order: those in metadata first. Metadata that
 * does not fit its type is an error.
 */
export function prune(
  object: Record<string, unknown>,
  schema: Schema | undefined,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): { readonly unknown: readonly string[] } | { readonly error: string } {
  try {
    const inMetadata = pruneMetadata(object, '')
    if (schema === undefined) return { unknown: inMetadata }
    const unknown: string[] = []
    walk(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', unknown)
    if (!keepsNulls) pruneNulls(object, schema)
    const embedded: string[] = []
    pruneEmbeddedMetadata(object, schema, '', embedded)
    return { unknown: [...inMetadata, ...unknown.toSorted(), ...embedded] }
  } catch (error) {
    if (error instanceof MetadataError) return { error: error.message }
    throw error
  }
}

class MetadataError extends Error {}

function walk(value: unknown, schema: Schema | undefined, path: string, unknown: string[]): void {
  const preserves = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      // Items without a schema of their own are kept with the list that keeps everything.
      if (preserves && schema?.items === undefined) continue
      const items = preserves
        ? { ...schema?.items, 'x-kubernetes-preserve-unknown-fields': true }
        : schema?.items
      walk(item, items, `${path}[${i}]`, unknown)
    }
    return
  }
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    if (schema?.['x-kubernetes-embedded-resource'] === true && metaFields.has(key)) continue
    const part = fieldSchema(schema, key)
    const allowsAny = schema?.additionalProperties === true
    if (part !== undefined) walk(value[key], part, below(path, key), unknown)
    else if (allowsAny && !preserves) walk(value[key], undefined, below(path, key), unknown)
    else if (!preserves) {
      if (!metaFields.has(key) || path !== '') unknown.push(below(path, key))
      delete value[key]
    }
  }
}

function pruneNulls(value: unknown, schema: Schema | undefined): void {
  if (Array.isArray(value)) for (const item of value) pruneNulls(item, schema?.items)
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    const part = fieldSchema(schema, key)
    const unwanted =
      value[key] === null && part !== undefined && part.nullable !== true && part.default === undefined
    if (unwanted) delete value[key]
    else pruneNulls(value[key], part)
  }
}

/** Metadata is kept as Go keeps it, in custom resources too. */
function pruneMetadata(object: Record<string, unknown>, path: string): string[] {
  const { metadata } = object
  const schema = loadKubernetesSchemas().lookup({ group: '', version: 'v1', kind: 'Namespace' })
    ?.properties?.['metadata']
  if (metadata === undefined || schema === undefined) return []
  // Go writes it as JSON first, with its keys in order, and then reads that.
  const decoded = decode(schema, { value: inOrder(metadata) })
  if ('error' in decoded) throw new MetadataError(decoded.error)
  object['metadata'] = decoded.object
  return decoded.strict.map((problem) => below(path, `metadata.${problem.path}`))
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, inOrder(part)]))
}

function pruneEmbeddedMetadata(
  value: unknown,
  schema: Schema | undefined,
  path: string,
  unknown: string[],
): void {
  if (schema === undefined) return
  if (Array.isArray(value))
    for (const [i, item] of value.entries())
      pruneEmbeddedMetadata(item, schema.items, `${path}[${i}]`, unknown)
  if (!isObject(value)) return
  if (schema['x-kubernetes-embedded-resource'] === true) {
    for (const key of ['apiVersion', 'kind'])
      if (Object.hasOwn(value, key) && typeof value[key] !== 'string')
        throw new MetadataError(`${path}.${key}: ${invalid(path, value[key], 'must be a string').message}`)
    unknown.push(...pruneMetadata(value, path))
  }
  for (const key of Object.keys(value)) {
    const part = schema.properties?.[key] ?? additional(schema)
    if (schema['x-kubernetes-embedded-resource'] === true && metaFields.has(key)) continue
    pruneEmbeddedMetadata(value[key], part, below(path, key), unknown)
  }
}
