import type { Schema } from './schema.ts'
import { additional, isObject } from './structure.ts'

/** Fills in, in place, what a custom resource leaves out and its schema has a default for. */
export function applyDefaults(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (isReplaced(item, schema.items)) value[i] = structuredClone(schema.items?.default)
      applyDefaults(value[i], schema.items)
    }
    return
  }
  if (!isObject(value)) return
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue
    if (!Object.hasOwn(value, name) || isReplaced(value[name], property))
      value[name] = structuredClone(property.default)
  }
  for (const name of Object.keys(value)) {
    const property = schema.properties?.[name]
    const rest = additional(schema)
    if (property === undefined && isReplaced(value[name], rest))
      value[name] = structuredClone(rest?.default ?? null)
    applyDefaults(value[name], property ?? rest)
  }
}

/** A null gives way to the default where it is not allowed. */
function isReplaced(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true && schema.default !== undefined
}
