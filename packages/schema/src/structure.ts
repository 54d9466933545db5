import type { Schema } from './schema.ts'

/** JSON objects and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema of one field of an object: its own, or that of all further fields. */
export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties } = schema ?? {}
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return additional(schema)
}

/** The schema of the fields without one of their own. */
export function additional(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/** A path below another; a step in brackets needs no dot. */
export function below(path: string, step: string): string {
  return path === '' || step.startsWith('[') ? `${path}${step}` : `${path}.${step}`
}
