import type { FieldError } from './field-error.ts'
import { isEqualJson } from './json.ts'
import { Re2 } from './re2.ts'
import type { Schema } from './schema.ts'
import { additional } from './structure.ts'
import * as say from './wording.ts'

/** Whether a schema says of every value what type it has: only then can objects be pruned and given defaults. */
export function validateStructural(schema: Schema, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)]
  const text = ({ field, message }: FieldError) => `${field}: ${message}`
  return errors.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
}

type Level = 'root' | 'item' | 'field'

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function invariants(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { type, items, properties = {} } = schema
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  if (type === 'array' && items === undefined) errors.push(say.required(`${path}.items`, 'must be specified'))
  if (items !== undefined) errors.push(...invariants(items, 'item', `${path}.items`))
  for (const [name, property] of Object.entries(properties))
    errors.push(...invariants(property, 'field', `${path}.properties[${name}]`))
  if (schema.additionalProperties !== undefined) {
    const here = `${path}.additionalProperties`
    if (level === 'root') errors.push(say.forbidden(here, 'must not be used at the root'))
    const rest = additional(schema)
    if (rest !== undefined) errors.push(...invariants(rest, 'field', here))
  }
  if (intOrString && preserves)
    errors.push(
      say.invalid(
        `${path}.x-kubernetes-preserve-unknown-fields`,
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    )
  if (intOrString && embedded)
    errors.push(
      say.invalid(
        `${path}.x-kubernetes-embedded-resource`,
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    )
  errors.push(
    ...valueValidation(schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf)),
  )
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(
      type === undefined ? say.required(`${path}.type`, detail) : say.invalid(`${path}.type`, type, detail),
    )
  } else if (type === undefined && !intOrString && !preserves)
    errors.push(say.required(`${path}.type`, emptyType[level]))
  if (embedded && schema.additionalProperties !== undefined)
    errors.push(
      say.forbidden(
        `${path}.additionalProperties`,
        'must not be used if x-kubernetes-embedded-resource is set',
      ),
    )
  if (level === 'root' && type !== undefined && type !== 'object')
    errors.push(say.invalid(`${path}.type`, type, 'must be object at the root'))
  const isResource = level === 'root' || embedded
  for (const name of ['kind', 'apiVersion']) {
    const property = properties[name]
    if (isResource && property !== undefined && property.type !== 'string')
      errors.push(say.invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'))
  }
  const metadata = properties['metadata']
  if (metadata !== undefined)
    errors.push(...metadataInvariants(metadata, isResource, level, `${path}.properties[metadata]`))
  if (embedded && !preserves && Object.keys(properties).length === 0)
    errors.push(
      say.required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  return errors
}

function metadataInvariants(schema: Schema, isResource: boolean, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (isResource && schema.type !== 'object')
    errors.push(say.invalid(`${path}.type`, schema.type ?? '', 'must be object'))
  const names = Object.keys(schema.properties ?? {})
  const { type: _, properties: __, default: ___, description: ____, ...rest } = schema
  const isPlain =
    names.every((name) => name === 'name' || name === 'generateName') && Object.keys(rest).length === 0
  if (level === 'root' && (!isPlain || schema.description !== undefined))
    errors.push(
      say.forbidden(
        path,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
  return errors
}

function isIntOrString(schemas: readonly Schema[] | undefined): boolean {
  return isEqualJson(schemas, [{ type: 'integer' }, { type: 'string' }])
}

function valueValidation(
  schema: Schema,
  path: string,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  if (!skipAnyOf)
    for (const [i, part] of (schema.anyOf ?? []).entries())
      errors.push(...nested(part, `${path}.anyOf[${i}]`))
  for (const [i, part] of (schema.allOf ?? []).entries())
    errors.push(...nested(part, `${path}.allOf[${i}]`, skipFirstAllOf && i === 0))
  for (const [i, part] of (schema.oneOf ?? []).entries()) errors.push(...nested(part, `${path}.oneOf[${i}]`))
  if (schema.not !== undefined) errors.push(...nested(schema.not, `${path}.not`))
  const problem = schema.pattern === undefined ? undefined : patternProblem(schema.pattern)
  if (problem !== undefined)
    errors.push(
      say.invalid(
        `${path}.pattern`,
        schema.pattern,
        `must be a valid regular expression, but isn't: ${problem}`,
      ),
    )
  return errors
}

function patternProblem(pattern: string): string | undefined {
  try {
    Re2.of(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What only the enclosing schema may have, and its error. */
const onlyOutside: readonly (readonly [key: keyof Schema | 'title', must: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function nested(schema: Schema, path: string, skipAnyOf = false): FieldError[] {
  const errors = valueValidation(schema, path, skipAnyOf, false)
  if (schema.items !== undefined) errors.push(...nested(schema.items, `${path}.items`))
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...nested(property, `${path}.properties[${name}]`))
  for (const [key, must] of onlyOutside) {
    const value = (schema as Readonly<Record<string, unknown>>)[key]
    const isEmpty =
      value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0)
    if (!isEmpty || (key === 'additionalProperties' && value === false))
      errors.push(say.forbidden(`${path}.${key}`, must))
  }
  if (schema.properties?.['metadata'] !== undefined)
    errors.push(say.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
  return errors
}

/** Every field that an alternative speaks of must be known outside of it. */
function completeness(validation: Schema, schema: Schema, schemaPath: string, path: string): FieldError[] {
  const parts: (readonly [Schema, string])[] = [
    ...(validation.not === undefined ? [] : [[validation.not, `${path}.not`] as const]),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) =>
      (validation[key] ?? []).map((part, i) => [part, `${path}.${key}[${i}]`] as const),
    ),
  ]
  return parts.flatMap(([part, where]) => nestedCompleteness(part, schema, schemaPath, where))
}

function nestedCompleteness(
  part: Schema,
  schema: Schema | undefined,
  schemaPath: string,
  path: string,
): FieldError[] {
  if (schema === undefined) return [say.required(schemaPath, `because it is defined in ${path}`)]
  const errors = completeness(part, schema, schemaPath, path)
  if (part.items !== undefined)
    errors.push(...nestedCompleteness(part.items, schema.items, `${schemaPath}.items`, `${path}.items`))
  for (const [name, property] of Object.entries(part.properties ?? {}))
    errors.push(
      ...nestedCompleteness(
        property,
        schema.properties?.[name],
        `${schemaPath}.properties[${name}]`,
        `${path}.properties[${name}]`,
      ),
    )
  return errors
}
