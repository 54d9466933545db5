import type { Schema } from '../schema.ts'
import { additional } from '../structure.ts'

/** What is known of an expression before it is evaluated; `dyn` where nothing is. */
export type Type =
  | {
      readonly kind:
        | 'dyn'
        | 'int'
        | 'double'
        | 'string'
        | 'bool'
        | 'null'
        | 'bytes'
        | 'timestamp'
        | 'duration'
    }
  | { readonly kind: 'list'; readonly items: Type }
  | { readonly kind: 'map'; readonly values: Type }
  | { readonly kind: 'object'; readonly schema: Schema }

export const dyn: Type = { kind: 'dyn' }

/** What a field with such a schema holds. */
export function typeOf(schema: Schema | undefined): Type {
  if (schema === undefined || schema['x-kubernetes-int-or-string'] === true) return dyn
  switch (schema.type) {
    case 'integer':
      return { kind: 'int' }
    case 'number':
      return { kind: 'double' }
    case 'boolean':
      return { kind: 'bool' }
    case 'string':
      if (schema.format === 'byte') return { kind: 'bytes' }
      if (schema.format === 'duration') return { kind: 'duration' }
      return { kind: schema.format === 'date' || schema.format === 'date-time' ? 'timestamp' : 'string' }
    case 'array':
      return { kind: 'list', items: typeOf(schema.items) }
    case 'object': {
      const rest = additional(schema)
      if (rest !== undefined) return { kind: 'map', values: typeOf(rest) }
      return schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined
        ? dyn
        : { kind: 'object', schema }
    }
    case undefined:
    default:
      return dyn
  }
}

const printedKinds = { timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration' } as const

/** As the server writes it; undefined where that cannot be known. */
export function printed(type: Type): string | undefined {
  switch (type.kind) {
    case 'list': {
      const items = printed(type.items)
      return items === undefined ? undefined : `list(${items})`
    }
    case 'map': {
      const values = printed(type.values)
      return values === undefined ? undefined : `map(string, ${values})`
    }
    // The server makes up a name for every object.
    case 'object':
      return undefined
    case 'timestamp':
    case 'duration':
      return printedKinds[type.kind]
    case 'dyn':
    case 'int':
    case 'double':
    case 'string':
    case 'bool':
    case 'null':
    case 'bytes':
    default:
      return type.kind
  }
}

/** What a literal holds. */
export function literal(value: unknown): Type {
  if (typeof value === 'string') return { kind: 'string' }
  if (typeof value === 'bigint') return { kind: 'int' }
  if (typeof value === 'number') return { kind: 'double' }
  if (typeof value === 'boolean') return { kind: 'bool' }
  return value === null ? { kind: 'null' } : dyn
}
