import { checkRules } from './cel/check.ts'
import { applyDefaults } from './defaults.ts'
import type { FieldError } from './field-error.ts'
import type { Schema } from './schema.ts'
import { validateStructural } from './structural.ts'
import { additional, fieldSchema, isObject } from './structure.ts'
import { validateSchema } from './validate.ts'
import * as say from './wording.ts'

/** A schema before validation, with any fields. */
type UncheckedSchema = Schema & Readonly<Record<string, unknown>>

/**
 * What is wrong with the schema of a CustomResourceDefinition: `path` is where it stands, such as
 * `spec.validation.openAPIV3Schema` (the one schema of all versions) or `spec.versions[1].schema.openAPIV3Schema`.
 */
export function validateCrdSchema(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.nullable === true)
    errors.push(say.forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  const structural = validateStructural(schema, path)
  errors.push(...(structural.length > 0 ? structural : validateDefaults(schema, path)))
  const rulesMakeSense = errors.length === 0
  const place = {
    isRoot: true,
    inMeta: false,
    noDefaults: '',
    uncorrelated: undefined,
    checksRules: rulesMakeSense,
  }
  const found = validateOpenApi(schema as UncheckedSchema, path, place)
  return [...errors, ...found.schema, ...found.rules]
}

function validateDefaults(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.default !== undefined && schema.default !== null) {
    const here = `${path}.default`
    const value = structuredClone(schema.default)
    applyDefaults(value, schema)
    if (hasUnknown(value, schema))
      errors.push(say.invalid(here, schema.default, 'must not have unknown fields'))
    else errors.push(...validateSchema(value, schema, { path: here }))
  }
  if (schema.items !== undefined) errors.push(...validateDefaults(schema.items, `${path}.items`))
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...validateDefaults(property, `${path}.properties[${name}]`))
  const rest = additional(schema)
  if (rest !== undefined) errors.push(...validateDefaults(rest, `${path}.additionalProperties`))
  return errors
}

function hasUnknown(value: unknown, schema: Schema | undefined): boolean {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return false
  if (Array.isArray(value)) return value.some((item) => hasUnknown(item, schema?.items))
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, part]) => {
    const inner = fieldSchema(schema, key)
    return inner === undefined ? schema?.additionalProperties !== true : hasUnknown(part, inner)
  })
}

interface SchemaPosition {
  readonly isRoot: boolean
  readonly inMeta: boolean
  /** Why defaults are not allowed here; empty where they are. */
  readonly noDefaults: string
  /** The outermost part whose values cannot be compared with what they were. */
  readonly uncorrelated: string | undefined
  readonly checksRules: boolean
}

interface OpenApiErrors {
  readonly schema: FieldError[]
  readonly rules: FieldError[]
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']

function validateOpenApi(schema: UncheckedSchema, path: string, place: SchemaPosition): OpenApiErrors {
  const errors: FieldError[] = []
  const rules: FieldError[] = []
  const descend = (part: Schema, where: string, change: Partial<SchemaPosition>) => {
    const found = validateOpenApi(part as UncheckedSchema, where, { ...place, isRoot: false, ...change })
    errors.push(...found.schema)
    rules.push(...found.rules)
  }
  const type: string | undefined = schema.type
  if (type !== undefined && !types.includes(type)) errors.push(say.notSupported(`${path}.type`, type, types))
  if (schema.default !== undefined && place.noDefaults !== '')
    errors.push(say.forbidden(`${path}.default`, `must not be set ${place.noDefaults}`))
  for (const key of unsupported)
    if (schema[key] !== undefined) errors.push(say.forbidden(`${path}.${key}`, `${key} is not supported`))
  if (type === 'null')
    errors.push(say.forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  if (Array.isArray(schema.items))
    errors.push(say.forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  if (place.inMeta && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(
      say.forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'),
    )
  if (schema.uniqueItems === true)
    errors.push(
      say.forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  const properties = Object.entries(schema.properties ?? {})
  if (schema.additionalProperties !== undefined) {
    const here = `${path}.additionalProperties`
    if (properties.length > 0 && schema.additionalProperties !== true)
      errors.push(say.forbidden(here, 'additionalProperties and properties are mutual exclusive'))
    const rest = additional(schema)
    const noDefaults = place.inMeta
      ? 'inside additionalProperties applying to object metadata'
      : place.noDefaults
    if (rest !== undefined) descend(rest, here, { noDefaults })
  }
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
  for (const [name, property] of properties) {
    const isMeta = isResource && ['apiVersion', 'kind', 'metadata'].includes(name)
    const noDefaults = isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults
    descend(property, `${path}.properties[${name}]`, { inMeta: place.inMeta || isMeta, noDefaults })
  }
  const unchecked = { checksRules: false }
  if (schema.not !== undefined) descend(schema.not, `${path}.not`, unchecked)
  for (const key of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, part] of (schema[key] ?? []).entries()) descend(part, `${path}.${key}[${i}]`, unchecked)
  const listType = schema['x-kubernetes-list-type'] as string | undefined
  if (schema.items !== undefined && !Array.isArray(schema.items))
    descend(schema.items, `${path}.items`, {
      uncorrelated: listType === 'map' ? place.uncorrelated : (place.uncorrelated ?? path),
    })
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(
      say.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'),
    )
  errors.push(...ofMapType(schema, path), ...ofListType(schema, path), ...ofRules(schema, path))
  if (errors.length === 0 && place.checksRules) rules.push(...checkRules(schema, path, place))
  return { schema: errors, rules }
}

function ofMapType(schema: Schema, path: string): FieldError[] {
  const mapType: string | undefined = schema['x-kubernetes-map-type']
  if (mapType === undefined) return []
  const errors: FieldError[] = []
  const detail = 'must be object if x-kubernetes-map-type is specified'
  if (schema.type === undefined) errors.push(say.required(`${path}.type`, detail))
  else if (schema.type !== 'object') errors.push(say.invalid(`${path}.type`, schema.type, detail))
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(say.notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']))
  return errors
}

function ofListType(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { items } = schema
  const listType: string | undefined = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const typePath = `${path}.x-kubernetes-list-type`
  const keysPath = `${path}.x-kubernetes-list-map-keys`
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified'
    errors.push(
      schema.type === undefined
        ? say.required(`${path}.type`, detail)
        : say.invalid(`${path}.type`, schema.type, detail),
    )
  } else if (listType === 'set' && items !== undefined) {
    const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    const inner = items['x-kubernetes-list-type']
    if (items.type === 'array' && inner !== undefined && inner !== 'atomic')
      errors.push(say.invalid(`${path}.items.x-kubernetes-list-type`, inner, detail))
    if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
      errors.push(say.invalid(`${path}.items.x-kubernetes-map-type`, inner ?? null, detail))
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType))
    errors.push(say.notSupported(typePath, listType, ['atomic', 'set', 'map']))
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(
      listType === undefined ? say.required(typePath, detail) : say.invalid(typePath, listType, detail),
    )
  }
  if (listType === 'map') {
    if (keys.length === 0)
      errors.push(say.required(keysPath, 'must not be empty if x-kubernetes-list-type is map'))
    if (items === undefined)
      errors.push(say.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
    else if (items.type !== 'object')
      errors.push(
        say.invalid(
          `${path}.items.type`,
          items.type ?? '',
          "must be object if parent array's x-kubernetes-list-type is map",
        ),
      )
    else errors.push(...ofMapKeys(items, keys, path))
  }
  if ((listType === 'set' || listType === 'map') && items?.nullable === true)
    errors.push(
      say.forbidden(
        `${path}.items.nullable`,
        `cannot be nullable when x-kubernetes-list-type is ${listType}`,
      ),
    )
  return errors
}

function ofMapKeys(items: Schema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = []
  const later: FieldError[] = []
  for (const [i, key] of keys.entries()) {
    const property = items.properties?.[key]
    const keysPath = `${path}.x-kubernetes-list-map-keys`
    const where = `${path}.items.properties[${key}]`
    if (property === undefined)
      errors.push(say.invalid(keysPath, keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object')
      errors.push(
        say.invalid(
          `${where}.type`,
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      )
    if (keys.indexOf(key) < i) errors.push(say.invalid(keysPath, keys, 'must not contain duplicate entries'))
    if (property === undefined) continue
    if (items.required?.includes(key) !== true && property.default === undefined)
      later.push(
        say.required(
          `${where}.default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      )
    if (property.nullable === true)
      later.push(
        say.forbidden(
          `${where}.nullable`,
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        ),
      )
  }
  return [...errors, ...later]
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

function ofRules(schema: Schema, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) => {
    const errors: FieldError[] = []
    const here = `${path}.x-kubernetes-validations[${i}]`
    const { message = '', messageExpression = '', fieldPath = '' } = rule
    const text = (rule.rule ?? '').trim()
    if (text === '') errors.push(say.required(`${here}.rule`, 'rule is not specified'))
    else if (message !== '' && message.trim() === '')
      errors.push(say.invalid(`${here}.message`, message, 'must be non-empty if specified'))
    else if (message.trim().includes('\n'))
      errors.push(say.invalid(`${here}.message`, message, 'must not contain line breaks'))
    else if (text.includes('\n') && message.trim() === '')
      errors.push(say.required(`${here}.message`, 'message must be specified if rule contains line breaks'))
    if (messageExpression !== '' && messageExpression.trim() === '')
      errors.push(
        say.required(`${here}.messageExpression`, 'messageExpression must be non-empty if specified'),
      )
    if (rule.reason !== undefined && !reasons.includes(rule.reason))
      errors.push(say.notSupported(`${here}.reason`, rule.reason, reasons))
    if (fieldPath !== '' && fieldPath.trim() === '')
      errors.push(say.invalid(`${here}.fieldPath`, fieldPath, 'must be non-empty if specified'))
    if (fieldPath.includes('\n'))
      errors.push(say.invalid(`${here}.fieldPath`, fieldPath, 'must not contain line breaks'))
    if (fieldPath !== '' && !isFieldPath(fieldPath, schema))
      errors.push(say.invalid(`${here}.fieldPath`, fieldPath, 'must be a valid path'))
    return errors
  })
}

/** `.a.b['c']`, where the schema has them. */
function isFieldPath(path: string, schema: Schema): boolean {
  const steps = path.match(/\.[^.[\]']+|\['(?:\\.|[^'\\])*'\]/g) ?? []
  if (steps.join('') !== path) return false
  let here: Schema | undefined = schema
  for (const step of steps) {
    const name = step.startsWith('.') ? step.slice(1) : step.slice(2, -2).replaceAll(/\\(.)/g, '$1')
    if (here === undefined) return false
    here = here.properties === undefined ? additional(here) : here.properties[name]
  }
  return here !== undefined
}
