import { Environment } from '@marcbachmann/cel-js'
import { isGoDuration } from '../formats.ts'
import type { Schema } from '../schema.ts'
import { fieldSchema, isObject } from '../structure.ts'
import { escapeName } from './source.ts'

const converter = new Environment()

/** What every object has by birth, and the API server takes as a name like any other. */
const inherited = new Set(['constructor', '__proto__'])

/** A JSON value as rules see it: whole numbers are ints, formats have their types, properties their escaped names. */
export function toCel(value: unknown, schema: Schema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items))
  if (isObject(value)) {
    const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
      const isProperty = schema?.properties !== undefined && Object.hasOwn(schema.properties, key)
      const name = isProperty ? escapeName(key) : key
      return name === undefined ? [] : [[name, toCel(part, fieldSchema(schema, key))]]
    })
    // The evaluator takes the type of an object from its constructor, and takes a field of that name for it.
    return entries.some(([name]) => inherited.has(name)) ? new Map(entries) : Object.fromEntries(entries)
  }
  if (typeof value === 'number')
    return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value
  if (typeof value === 'string' && schema?.type === 'string') return formatted(value, schema.format)
  return value
}

function formatted(text: string, format: string | undefined): unknown {
  switch (format) {
    case 'date':
    case 'date-time':
    case 'datetime': {
      const date = new Date(text.toUpperCase())
      return Number.isNaN(date.getTime()) ? text : date
    }
    case 'duration':
      return isGoDuration(text) ? converter.evaluate(`duration(${JSON.stringify(text)})`) : text
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'))
    case undefined:
    default:
      return text
  }
}
