import generated from './fields.json' with { type: 'json' }
import { signed, wellKnown } from './well-known.ts'
import { fieldsOf, packedVarints } from './wire.ts'

type Json = Record<string, unknown>
/** The JSON name, empty for a struct whose fields stand beside those around it, and the type. */
type Field = readonly [name: string, type: string]

const messages = generated as unknown as Readonly<Record<string, Readonly<Record<string, Field>>>>

export function hasMessage(type: string): boolean {
  return messages[type] !== undefined
}

/** A message as the JSON that says the same. What is not known of it is left out, as Go does. */
export function messageToJson(type: string, bytes: Buffer, into: Json = {}): Json {
  const fields = messages[type] ?? {}
  for (const { number, value } of fieldsOf(bytes)) {
    const [name, kind] = fields[number] ?? []
    if (name === undefined || kind === undefined) continue
    if (name === '') messageToJson(kind, value as Buffer, into)
    else if (kind.startsWith('[]')) {
      const items = (into[name] ??= []) as unknown[]
      items.push(...itemsOf(kind.slice(2), value))
    } else if (kind.startsWith('map:')) {
      const [key, entry] = entryOf(kind.slice('map:'.length), value as Buffer)
      Object.defineProperty((into[name] ??= {}), key, { value: entry, enumerable: true, configurable: true })
    } else into[name] = valueOf(kind, value)
  }
  return into
}

const integers = new Set(['int32', 'int64', 'uint32', 'uint64'])

function itemsOf(type: string, value: bigint | Buffer): unknown[] {
  if (integers.has(type) && typeof value !== 'bigint') return [...packedVarints(value)].map(signed)
  return [valueOf(type, value)]
}

function entryOf(type: string, bytes: Buffer): [key: string, value: unknown] {
  let key = ''
  let entry: bigint | Buffer = Buffer.alloc(0)
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) key = String(value)
    else if (number === 2) entry = value
  }
  return [key, valueOf(type, entry)]
}

function valueOf(type: string, value: bigint | Buffer): unknown {
  if (typeof value === 'bigint') return type === 'bool' ? value !== 0n : signed(value)
  if (type === 'string') return value.toString('utf8')
  if (type === 'bytes') return value.toString('base64')
  if (type === 'double') return value.readDoubleLE()
  const special = wellKnown[type] ?? alternatives[type]
  return special === undefined ? messageToJson(type, value) : special(value)
}

/** Parts of a CustomResourceDefinition's schema that are one thing or another in JSON. */
const alternatives: Readonly<Record<string, (message: Buffer) => unknown>> = {
  'apiextensions/v1.JSONSchemaPropsOrArray': (message) => {
    const { schema, jSONSchemas } = messageToJson('apiextensions/v1.JSONSchemaPropsOrArray', message)
    return jSONSchemas ?? schema
  },
  'apiextensions/v1.JSONSchemaPropsOrBool': (message) => {
    const { allows, schema } = messageToJson('apiextensions/v1.JSONSchemaPropsOrBool', message)
    return schema ?? allows
  },
  'apiextensions/v1.JSONSchemaPropsOrStringArray': (message) => {
    const { property, schema } = messageToJson('apiextensions/v1.JSONSchemaPropsOrStringArray', message)
    return property ?? schema
  },
  'authentication/v1.ExtraValue': (message) =>
    messageToJson('authentication/v1.ExtraValue', message)['items'],
}
