import type { AnyObject } from './any-object.ts'
import { type Expected, readRequest } from './decode.ts'
import { applyDefaults } from './defaults.ts'
import type { FieldError } from './field-error.ts'
import { decodeUntyped, type StrictProblem } from './go-decode.ts'
import { prune } from './prune.ts'

import type { Schema } from './schema.ts'
import { isObject } from './structure.ts'

export type DecodedCustomResource =
  | {
      readonly object: AnyObject
      readonly strict: readonly StrictProblem[]
      /** The message of a 400 for an object of another version, due once the strict problems are dealt with. */
      readonly mismatch?: string
    }
  /** The message of a 400 BadRequest. */
  | { readonly error: string }

/**
 * Reads the body of a create or update of a custom resource as the server does: decoded, pruned, with defaults.
 * `schema` is that of the version that is asked for. Leniently (fieldValidation=Ignore) one error reads differently.
 */
export function decodeCustomResource(
  text: string,
  expected: Expected,
  schema: Schema,
  { lenient = false } = {},
): DecodedCustomResource {
  const read = readRequest(text, expected)
  if ('error' in read) return read
  const { node, kind, apiVersion, found, unrecognised, unfit } = read
  if (kind === '') {
    const cause = `Object 'Kind' is missing in '${text}'`
    return lenient ? unfit(cause, expected.version) : unrecognised(cause)
  }
  const decoded = decodeUntyped(node)
  if ('error' in decoded) return unfit(decoded.error)
  const isOurs = found.group === expected.group && kind === expected.kind
  const version = isOurs && found.version !== expected.version ? {} : schema
  const admitted = admitCustomResource(decoded.object, isOurs ? version : undefined)
  if ('error' in admitted) return unfit(admitted.error)
  const strict = [...decoded.strict, ...admitted.unknown.map((path) => ({ kind: 'unknown' as const, path }))]
  const object = decoded.object as AnyObject
  const wanted = expected.group === '' ? expected.version : `${expected.group}/${expected.version}`
  if (apiVersion === wanted) return { object, strict }
  const mismatch = `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`
  return { object, strict, mismatch }
}

/**
 * Makes a value, such as the result of a patch, what the server keeps of it, in place: metadata as Go keeps it,
 * unknown fields and unwanted nulls gone, defaults filled in. Without a schema only metadata is looked at.
 */
export function admitCustomResource(
  object: Record<string, unknown>,
  schema: Schema | undefined,
  options: { readonly keepsNulls?: boolean } = {},
): { readonly unknown: readonly string[] } | { readonly error: string } {
  const pruned = prune(object, schema, options)
  if ('error' in pruned) return pruned
  applyDefaults(object, schema)
  return pruned
}

/** What validation says first, and alone, of an object of another kind. */
export function validateType(object: AnyObject, { group, version, kind }: Expected): FieldError[] {
  const errors: FieldError[] = []
  const add = (field: string, found: string, wanted: string) => {
    if (found !== wanted)
      errors.push({
        reason: 'FieldValueInvalid',
        field,
        message: `Invalid value: "${found}": must be ${wanted}`,
      })
  }
  add('kind', object.kind, kind)
  add('apiVersion', object.apiVersion, `${group}/${version}`)
  return errors
}

/** Whether a schema has validation rules. */
export function hasRules(schema: Schema | undefined): boolean {
  if (schema === undefined) return false
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true
  const parts = [...Object.values(schema.properties ?? {}), schema.items, ...(schema.allOf ?? [])]
  if (isObject(schema.additionalProperties)) parts.push(schema.additionalProperties)
  return parts.some(hasRules)
}
