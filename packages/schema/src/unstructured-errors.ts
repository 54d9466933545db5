import { goType } from './go-value.ts'
import type { JsonNode } from './json-text.ts'
import type { Schema } from './schema.ts'

/** What Go's converter of maps to structs says of a value that does not fit where the schema describes another. */
export function converterComplaint(node: JsonNode, schema: Schema): string {
  const found = sortOf(node)
  switch (schema.type) {
    case 'array':
      return `cannot restore slice from ${found}`
    case 'object':
      return schema.properties === undefined
        ? `cannot restore map from ${found}`
        : `cannot restore struct from: ${found}`
    case 'string':
      // Go could make a text of a whole number, one character long.
      if (schema.format === 'byte') return `cannot restore slice from ${found}`
      return found === 'int64' ? `cannot convert int64 to ${goType(schema)}` : 'unrecognized type: string'
    case 'boolean':
      return 'unrecognized type: bool'
    case 'integer':
    case 'number':
      return node.kind === 'number'
        ? `cannot convert ${found} to ${goType(schema)}`
        : `unrecognized type: ${goType(schema)}`
    case undefined:
    default:
      return `cannot restore slice from ${found}`
  }
}

/** The kind of value, when its type is not known. */
function sortOf(node: JsonNode): string {
  if (node.kind === 'object') return 'map'
  if (node.kind === 'array') return 'slice'
  if (node.kind === 'number') return /^-?\d+$/.test(node.literal) ? 'int64' : 'float64'
  return node.kind
}
