import type { Schema } from '@portcullis/schema'
import { isObject, type Json } from '../json-value.ts'

/**
 * What a value may be, as far as field management cares: which kinds of value fit, and at which of its parts ownership
 * is divided. More than one kind fits where the schema gives no type.
 */
export interface FieldType {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped'
  readonly list?: ListType
  readonly map?: MapType
}

export interface ListType {
  /** `associative` lists are sets, or maps if they have keys; others are owned as a whole. */
  readonly relationship: 'atomic' | 'associative'
  readonly keys: readonly string[]
  items(): FieldType
}

export interface MapType {
  readonly atomic: boolean
  /** A field that the schema names. */
  field(name: string): FieldType | undefined
  /** What stands in for a key field that is left out. */
  default(name: string): Json | undefined
  /** Any other field; undefined where there may be none. */
  others(): FieldType | undefined
  /** Nothing is known of the fields, but any may be there. */
  readonly isDeduced: boolean
}

const atomicUntyped: FieldType = {
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: () => atomicUntyped },
  map: {
    atomic: true,
    field: () => undefined,
    default: () => undefined,
    others: () => atomicUntyped,
    isDeduced: false,
  },
}

/** Deduced from the value itself: maps field by field, lists as a whole. */
const deduced: FieldType = {
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: () => atomicUntyped },
  map: {
    atomic: false,
    field: () => undefined,
    default: () => undefined,
    others: () => deduced,
    isDeduced: true,
  },
}

const string: Schema = { type: 'string' }
const strings: Schema = { type: 'object', additionalProperties: string }
const time: Schema = { type: 'string', format: 'date-time' }
const int64: Schema = { type: 'integer', format: 'int64' }

/** What is said of `metadata` holds for every kind, whatever its own schema says. */
const objectMeta: Schema = {
  type: 'object',
  properties: {
    annotations: strings,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int64,
    deletionTimestamp: time,
    finalizers: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    generateName: string,
    generation: int64,
    labels: strings,
    managedFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        properties: {
          apiVersion: string,
          fieldsType: string,
          fieldsV1: { type: 'object' },
          manager: string,
          operation: string,
          subresource: string,
          time,
        },
      },
    },
    name: string,
    namespace: string,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: { ...string, default: '' },
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: { ...string, default: '' },
          name: { ...string, default: '' },
          uid: { ...string, default: '' },
        },
      },
    },
    resourceVersion: string,
    selfLink: string,
    uid: string,
  },
}

/** What every object has. */
const objectFields: Readonly<Record<string, Schema>> = {
  apiVersion: string,
  kind: string,
  metadata: objectMeta,
}

const roots = new WeakMap<Schema, FieldType>()

/** The type of whole objects of a kind. */
export function objectType(schema: Schema): FieldType {
  let type = roots.get(schema)
  if (type === undefined) {
    const preserving = schema['x-kubernetes-preserve-unknown-fields'] === true
    type = { map: mapType(schema, preserving, objectFields) }
    roots.set(schema, type)
  }
  return type
}

interface Types {
  plain?: FieldType
  preserving?: FieldType
}

const known = new WeakMap<Schema, Types>()

/** `preserving`: whether somewhere above, unknown fields have been let in. */
function typeOf(schema: Schema, preserving: boolean): FieldType {
  const preserves = preserving || schema['x-kubernetes-preserve-unknown-fields'] === true
  let types = known.get(schema)
  if (types === undefined) {
    types = {}
    known.set(schema, types)
  }
  const name = preserves ? 'preserving' : 'plain'
  types[name] ??= newType(schema, preserves)
  return types[name]
}

function newType(schema: Schema, preserving: boolean): FieldType {
  const { type, format } = schema
  if (schema['x-kubernetes-embedded-resource'] === true)
    return { map: mapType(schema, preserving, objectFields) }
  if (type === 'object') return { map: mapType(schema, preserving) }
  if (type === 'array') return { list: listType(schema, preserving) }
  if (type === 'boolean') return { scalar: 'boolean' }
  if (type === 'string') return { scalar: isPlainString(format) ? 'string' : 'untyped' }
  if (type !== undefined) return { scalar: 'numeric' }
  return { scalar: 'untyped', list: listType(schema, preserving), map: mapType(schema, preserving) }
}

function isPlainString(format: string | undefined): boolean {
  return format === undefined || format === '' || format === 'byte'
}

/** `given` are fields that stand before those of the schema. */
function mapType(schema: Schema, preserving: boolean, given: Readonly<Record<string, Schema>> = {}): MapType {
  const { properties = {} } = schema
  const property = (name: string) => {
    if (Object.hasOwn(given, name)) return given[name]
    return Object.hasOwn(properties, name) ? properties[name] : undefined
  }
  const hasFields = Object.keys(given).length > 0 || Object.keys(properties).length > 0
  const others = otherFields(schema, preserving || !hasFields, preserving)
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field: (name) => {
      const child = property(name)
      return child === undefined ? undefined : typeOf(child, preserving)
    },
    default: (name) => defaultOf(property(name), schema),
    others,
    isDeduced: !hasFields && others() === deduced,
  }
}

function otherFields(schema: Schema, isOpen: boolean, preserving: boolean): () => FieldType | undefined {
  const { additionalProperties = isOpen } = schema
  if (typeof additionalProperties === 'boolean') return () => (additionalProperties ? deduced : undefined)
  return () => typeOf(additionalProperties, preserving)
}

function listType(schema: Schema, preserving: boolean): ListType {
  const { items } = schema
  return {
    ...relationshipOf(schema),
    items: () => (items === undefined ? atomicUntyped : typeOf(items, preserving)),
  }
}

function relationshipOf(schema: Schema): Pick<ListType, 'relationship' | 'keys'> {
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'map')
    return { relationship: 'associative', keys: schema['x-kubernetes-list-map-keys'] ?? [] }
  if (listType === 'set') return { relationship: 'associative', keys: [] }
  if (listType === 'atomic') return { relationship: 'atomic', keys: [] }
  const merges = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false
  const key = schema['x-kubernetes-patch-merge-key']
  if (!merges) return { relationship: 'atomic', keys: [] }
  return { relationship: 'associative', keys: key === undefined ? [] : [key] }
}

/** Narrowed to the one kind that a value is of; left as it is for null, nothing, and what does not fit. */
export function narrowed(type: FieldType, value: Json | undefined): FieldType {
  if (value === undefined || value === null) return type
  if (Array.isArray(value)) return type.list === undefined ? type : { list: type.list }
  if (isObject(value)) return type.map === undefined ? type : { map: type.map }
  return type.scalar === undefined ? type : { scalar: type.scalar }
}

/** Whether two types that were narrowed from one are the same. */
export function isSameType(a: FieldType, b: FieldType): boolean {
  return a.scalar === b.scalar && a.list === b.list && a.map === b.map
}

export type Shape =
  | { readonly kind: 'map'; readonly map: MapType }
  | { readonly kind: 'scalar'; readonly scalar: NonNullable<FieldType['scalar']> }
  | { readonly kind: 'list'; readonly list: ListType }

/** As which kind of value a type is treated: maps go before scalars, and scalars before lists. */
export function shapeOf(type: FieldType): Shape {
  if (type.map !== undefined) return { kind: 'map', map: type.map }
  if (type.scalar !== undefined) return { kind: 'scalar', scalar: type.scalar }
  if (type.list !== undefined) return { kind: 'list', list: type.list }
  return { kind: 'scalar', scalar: 'untyped' }
}

export function typeOfField(map: MapType, name: string): FieldType {
  return map.field(name) ?? map.others() ?? deduced
}

/** A number that Go always has is nought where none is given. */
function defaultOf(field: Schema | undefined, struct: Schema): Json | undefined {
  const { omit, pointer } = field?.['x-go'] ?? {}
  const isGo = struct['x-go'] !== undefined && pointer !== true && omit === undefined
  return (field?.default ?? (isGo && field?.type === 'integer' ? 0 : undefined)) as Json | undefined
}
