import { validateRules } from './cel/rules.ts'
import { Correlation } from './correlation.ts'
import { hasRules } from './custom-resource.ts'
import { validateEmbedded } from './embedded.ts'
import type { FieldError } from './field-error.ts'
import { validateListTypes } from './list-types.ts'
import { type ScalePaths, validateScalePaths } from './scale-paths.ts'
import type { Schema } from './schema.ts'
import { validateSchema } from './validate.ts'

export interface CustomResourceWrite {
  readonly object: Readonly<Record<string, unknown>>
  /** The object before; leaving it out makes this a create. */
  readonly old?: Readonly<Record<string, unknown>> | undefined
  /** A write of the status subresource: only the status is held against the schema, but rules see everything. */
  readonly status?: boolean
  /** The version's scale subresource, if it has one. */
  readonly scale?: ScalePaths | undefined
  /** What was found already, in metadata; rules are not evaluated where some of it is in their way. */
  readonly earlier?: readonly FieldError[]
}

export interface Validation {
  readonly errors: readonly FieldError[]
  /** What was forgiven because it has not changed. */
  readonly warnings: readonly string[]
}

const notChecked: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

const blocking: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/** Null where there was nothing has not changed. */
function isNothingStill(status: unknown, before: unknown): boolean {
  return status === undefined || (status === null && (before ?? null) === null)
}

/** All that is wrong with a custom resource by the schema of its kind, in the server's order. */
export function validateCustomResource(write: CustomResourceWrite, schema: Schema): Validation {
  const { object, old, status = false, scale, earlier = [] } = write
  const correlation = old === undefined ? undefined : new Correlation(object, old, schema)
  const errors: FieldError[] = []
  if (!status) errors.push(...validateSchema(object, schema, { correlation }))
  else if (
    !isNothingStill(object['status'], old?.['status']) &&
    schema.properties?.['status'] !== undefined
  ) {
    const part = { correlation: correlation?.field('status'), path: 'status' }
    errors.push(...validateSchema(object['status'], schema.properties['status'], part))
  }
  if (scale !== undefined) errors.push(...validateScalePaths(object, scale, { status }))
  if (!status) errors.push(...validateEmbedded(object, schema))
  if (old === undefined || validateListTypes(old, schema).length === 0)
    errors.push(...validateListTypes(object, schema))
  if (!hasRules(schema)) return { errors, warnings: [] }
  if ([...earlier, ...errors].some(({ reason }) => blocking.has(reason)))
    return { errors: [...errors, notChecked], warnings: [] }
  const rules = validateRules(object, schema, old)
  return { errors: [...errors, ...rules.errors], warnings: rules.warnings }
}
