import type { Schema } from './schema.ts'

/**
 * A struct as Go writes it: every field that its tag does not leave out, in the order of the type. Empty lists come
 * back from etcd as none, but for CustomResourceDefinitions, which are not kept as protobuf.
 */
export function encode(schema: Schema, found: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  const keepsEmpty = schema['x-go']?.type?.startsWith('v1.CustomResource') === true
  for (const [name, property] of propertiesOf(schema)) {
    const details = property['x-go']
    const given = found.get(name)
    if (given !== undefined && isEmptyCollection(given, property)) noteEmpty(object, name)
    if (details?.pointer === true) {
      if (given !== undefined) object[name] = given
      else if (details.omit === undefined) object[name] = null
      continue
    }
    const value = given ?? zero(property)
    if (details?.omit === undefined)
      object[name] = keepsEmpty || !isEmptyCollection(value, property) ? value : null
    else if (!isLeftOut(value, property)) object[name] = value
  }
  return object
}

const empties = new WeakMap<object, Set<string>>()

function noteEmpty(object: object, name: string): void {
  const names = empties.get(object) ?? new Set()
  empties.set(object, names.add(name))
}

/** Whether a field that is left out was given, but empty: neither what is kept shows it, nor most validation. */
export function wasGivenEmpty(object: object, name: string): boolean {
  return empties.get(object)?.has(name) ?? false
}

/** Whether anything within was given, but empty, and nothing has come in its place. */
export function holdsGivenEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const given = [...(empties.get(value) ?? [])].some((name) => !Object.hasOwn(value, name))
  return given || Object.values(value).some(holdsGivenEmpty)
}

const withNulls = new WeakMap<object, object>()

/** Of a map whose values are bytes: some of them are null, which is written to etcd, but not read from it. */
export function noteNullBytes(map: object, keys: readonly string[]): void {
  withNulls.set(map, { ...map, ...Object.fromEntries(keys.map((key) => [key, null])) })
}

/** The object with the nulls among the bytes in one of its fields; undefined if there are none. */
export function withNullBytes<T extends object>(object: T, field: keyof T): T | undefined {
  const map: unknown = object[field]
  const sent = typeof map === 'object' && map !== null ? withNulls.get(map) : undefined
  return sent === undefined ? undefined : { ...object, [field]: sent }
}

const known = new WeakMap<Schema, readonly (readonly [name: string, property: Schema])[]>()

/** Listed once: the schemas of built-in kinds never change, and every object that is read goes through them. */
function propertiesOf(schema: Schema): readonly (readonly [name: string, property: Schema])[] {
  let properties = known.get(schema)
  if (properties === undefined) {
    properties = Object.entries(schema.properties ?? {})
    known.set(schema, properties)
  }
  return properties
}

function isEmptyCollection(value: unknown, schema: Schema): boolean {
  if (Array.isArray(value)) return value.length === 0
  const isMap =
    schema.type === 'object' && schema.properties === undefined && schema['x-go']?.type === undefined
  return isMap && typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isLeftOut(value: unknown, schema: Schema): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return schema['x-go']?.omit === 'empty' && value.length === 0
  if (typeof value !== 'object') return false
  if (schema.properties !== undefined) return JSON.stringify(value) === JSON.stringify(zero(schema))
  return Object.keys(value).length === 0
}

const nullWhenAbsent = new Set([
  'v1.Time',
  'v1.MicroTime',
  'v1.FieldsV1',
  'runtime.RawExtension',
  'v1.JSON',
  'v1.JSONSchemaPropsOrArray',
  'v1.JSONSchemaPropsOrBool',
  'v1.JSONSchemaPropsOrStringArray',
])

/** What Go writes for a value that nothing was read into. */
export function zero(schema: Schema): unknown {
  const type = schema['x-go']?.type
  if (type === 'resource.Quantity') return '0'
  if (type === 'intstr.IntOrString') return 0
  if (type !== undefined && nullWhenAbsent.has(type)) return null
  if (schema.format === 'byte') return null
  switch (schema.type) {
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return 0
    case 'object':
      return schema.properties === undefined ? null : encode(schema, new Map())
    case 'array':
    case undefined:
    default:
      return null
  }
}

/** What Go writes for a null in a list or a map. */
export function zeroElement(schema: Schema): unknown {
  // Bytes come back from etcd as none, not as nothing.
  if (schema.format === 'byte') return ''
  return schema['x-go']?.pointer === true ? null : zero(schema)
}

/** What Go prints for the type. */
export function goType(schema: Schema): string {
  const named = schema['x-go']?.type
  if (named !== undefined) return named
  if (schema.format === 'byte') return '[]uint8'
  switch (schema.type) {
    case 'array':
      return `[]${schema.items?.['x-go']?.pointer === true ? '*' : ''}${goType(schema.items ?? {})}`
    case 'object':
      return `map[string]${typeof schema.additionalProperties === 'object' ? goType(schema.additionalProperties) : 'interface {}'}`
    case 'boolean':
      return 'bool'
    case 'integer':
      return schema.format ?? 'int64'
    case 'number':
      return 'float64'
    case 'string':
      return 'string'
    case undefined:
    default:
      return 'interface {}'
  }
}
