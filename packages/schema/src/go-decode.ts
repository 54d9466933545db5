import { canonicalTime, isZeroTime, TimeError } from './go-time.ts'
import { encode, goType, noteNullBytes, zero, zeroElement } from './go-value.ts'
import { fromValue, goQuote, type JsonNode, setOwn, toValue } from './json-text.ts'
import { canonicalQuantity, QuantityError } from './quantity.ts'
import type { Schema } from './schema.ts'
import { converterComplaint } from './unstructured-errors.ts'

/** A field that strict field validation refuses, and otherwise at most warns of. */
export interface StrictProblem {
  readonly kind: 'unknown' | 'duplicate'
  readonly path: string
}

export type Decoded =
  | { readonly object: Record<string, unknown>; readonly strict: readonly StrictProblem[] }
  /** Why nothing could be made of it, in Go's words. */
  | { readonly error: string }

/** One problem as the `Warning` header has it. */
export function strictProblem({ kind, path }: StrictProblem): string {
  return `${kind} field ${goQuote(path)}`
}

/** All of them as the 400 of strict field validation has them. */
export function strictDecodingError(problems: readonly StrictProblem[]): string {
  return `strict decoding error: ${problems.map(strictProblem).join(', ')}`
}

/** Reads an object without a schema: only duplicates are problems. */
export function decodeUntyped(body: JsonNode): Decoded {
  const decoder = new Decoder()
  if (body.kind !== 'object') {
    if (body.kind === 'null') return { object: {}, strict: [] }
    return { error: `json: cannot unmarshal ${body.kind} into Go value of type map[string]interface {}` }
  }
  const object = decoder.untyped(body) as Record<string, unknown>
  return decoder.error === undefined ? { object, strict: decoder.strict } : { error: decoder.error.message }
}

/**
 * What Go makes of a body when it decodes it into the type that the schema describes and encodes that again: unknown
 * fields and nulls are gone, what has no value is there or not as the type's tags say, and quantities, times and
 * bytes are written the one way that Go writes them. The body may be a value already, such as a patch's result.
 * @param by what Go reads it with: its parser of JSON goes through the text and reports the first misfit in it, its
 *   converter of maps through its own structs, and stops at the first misfit there
 */
export function decode(
  schema: Schema,
  body: JsonNode | { readonly value: unknown },
  by: 'parser' | 'converter' = 'parser',
): Decoded {
  const decoder = new Decoder(by)
  try {
    const node = 'kind' in body ? body : fromValue(body.value)
    const object = node.kind === 'null' ? zero(schema) : decoder.value(node, schema)
    if (decoder.error !== undefined) return { error: decoder.error.message }
    return { object: object as Record<string, unknown>, strict: decoder.strict }
  } catch (error) {
    if (error instanceof GoTypeError || error instanceof Fatal) return { error: error.message }
    throw error
  }
}

/** A value of one JSON type where Go has another. */
class GoTypeError extends Error {
  readonly value: string
  readonly type: string
  readonly field: string

  constructor(value: string, type: string, struct: string | undefined, field: string) {
    const where = struct === undefined && field === '' ? `value` : `struct field ${struct ?? ''}.${field}`
    super(`json: cannot unmarshal ${value} into Go ${where} of type ${type}`)
    this.value = value
    this.type = type
    this.field = field
  }
}

/** Ends decoding at once: Go's own unmarshalers for times, quantities and the like. */
class Fatal extends Error {}

class Decoder {
  readonly strict: StrictProblem[] = []
  readonly #isConverter: boolean
  /** The first one; decoding goes on, and only a fatal error takes its place. */
  error: Error | undefined
  #struct: string | undefined
  readonly #fields: string[] = []
  #path = ''
  readonly #seen = new Set<string>()

  constructor(by: 'parser' | 'converter' = 'parser') {
    this.#isConverter = by === 'converter'
  }

  value(node: JsonNode, schema: Schema): unknown {
    const type = schema['x-go']?.type
    const custom = type === undefined ? undefined : unmarshalers[type]
    if (custom !== undefined) return this.#custom(node, schema, custom)
    if (schema.format === 'byte') return this.#bytes(node)
    switch (schema.type) {
      case 'array':
        return this.#array(node, schema)
      case 'object':
        return schema.properties === undefined ? this.#map(node, schema) : this.#structure(node, schema)
      case 'string':
        return node.kind === 'string' ? node.value : this.#mismatch(node, schema)
      case 'boolean':
        return node.kind === 'bool' ? node.value : this.#mismatch(node, schema)
      case 'integer':
        if (node.kind !== 'number') return this.#mismatch(node, schema)
        return isInteger(node.literal, goType(schema)) ? Number(node.literal) : this.#outOfRange(node, schema)
      case 'number':
        return node.kind === 'number' ? Number(node.literal) : this.#mismatch(node, schema)
      case undefined:
      default:
        return this.untyped(node)
    }
  }

  untyped(node: JsonNode): unknown {
    if (node.kind === 'array')
      return node.items.map((item, i) => this.#inside(`[${i}]`, () => this.untyped(item)))
    if (node.kind === 'number' && !Number.isFinite(Number(node.literal)))
      this.error ??= new GoTypeError(`number ${node.literal}`, 'float64', undefined, '')
    if (node.kind !== 'object') return toValue(node)
    const object: Record<string, unknown> = {}
    for (const [key, part] of node.entries) {
      if (Object.hasOwn(object, key)) this.#problem('duplicate', key)
      setOwn(
        object,
        key,
        this.#inside(key, () => this.untyped(part)),
      )
    }
    return object
  }

  #structure(node: JsonNode, schema: Schema): unknown {
    if (node.kind !== 'object') return this.#mismatch(node, schema)
    const properties = schema.properties ?? {}
    const found = new Map<string, unknown>()
    const outer = this.#struct
    const depth = this.#fields.length
    const entries = this.#isConverter ? inOrderOf(properties, node.entries) : node.entries
    for (const [key, part] of entries) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined
      if (property === undefined) {
        this.#problem('unknown', key)
        continue
      }
      if (found.has(key)) this.#problem('duplicate', key)
      this.#struct = structName(schema)
      const embedded = property['x-go']?.embedded
      if (embedded !== undefined) this.#fields.push(...embedded.split('.'))
      this.#fields.push(key)
      found.set(key, part.kind === 'null' ? undefined : this.#inside(key, () => this.value(part, property)))
      this.#fields.length = depth
      this.#struct = outer
    }
    return encode(schema, found)
  }

  #map(node: JsonNode, schema: Schema): unknown {
    if (node.kind !== 'object') return this.#mismatch(node, schema)
    const { additionalProperties } = schema
    const values = typeof additionalProperties === 'object' ? additionalProperties : undefined
    if (values === undefined) return this.untyped(node)
    const map: Record<string, unknown> = {}
    for (const [key, part] of node.entries) {
      if (Object.hasOwn(map, key)) this.#problem('duplicate', key)
      const value =
        part.kind === 'null' ? zeroElement(values) : this.#inside(key, () => this.value(part, values))
      setOwn(map, key, value)
    }
    const inOrder = sorted(map)
    const nulls = values.format === 'byte' ? node.entries.filter(([, part]) => part.kind === 'null') : []
    if (nulls.length > 0)
      noteNullBytes(
        inOrder,
        nulls.map(([key]) => key),
      )
    return inOrder
  }

  #array(node: JsonNode, schema: Schema): unknown {
    if (node.kind !== 'array') return this.#mismatch(node, schema)
    const items = schema.items ?? {}
    return node.items.map((item, i) =>
      item.kind === 'null' ? zeroElement(items) : this.#inside(`[${i}]`, () => this.value(item, items)),
    )
  }

  #bytes(node: JsonNode): unknown {
    if (node.kind === 'array') {
      const items: Schema = { type: 'integer', 'x-go': { type: 'uint8' } }
      const bytes = node.items.map((item) => this.value(item, items) as number)
      return Buffer.from(bytes).toString('base64')
    }
    if (node.kind !== 'string') return this.#mismatch(node, { format: 'byte' })
    const wrong = corruptBase64(node.value)
    if (wrong === undefined) return node.value.replaceAll(/[\r\n]/g, '')
    const problem = `illegal base64 data at input byte ${wrong}`
    if (this.#isConverter) throw new Fatal(`error decoding from json: ${problem}`)
    this.error ??= new Error(problem)
    return ''
  }

  #custom(node: JsonNode, schema: Schema, unmarshal: Unmarshal): unknown {
    const result = unmarshal(node, schema)
    if (!(result instanceof GoTypeError)) return result
    if (this.#isConverter) throw new GoTypeError(result.value, result.type, undefined, '')
    const field = [...this.#fields, ...(result.field === '' ? [] : [result.field])].join('.')
    throw new GoTypeError(result.value, result.type, this.#struct, field)
  }

  #mismatch(node: JsonNode, schema: Schema): unknown {
    if (this.#isConverter) throw new Fatal(converterComplaint(node, schema))
    this.error ??= new GoTypeError(node.kind, goType(schema), this.#struct, this.#fields.join('.'))
    return undefined
  }

  #outOfRange(node: JsonNode & { kind: 'number' }, schema: Schema): unknown {
    if (this.#isConverter) throw new Fatal(converterComplaint(node, schema))
    this.error ??= new GoTypeError(
      `number ${node.literal}`,
      goType(schema),
      this.#struct,
      this.#fields.join('.'),
    )
    return undefined
  }

  #inside<T>(step: string, work: () => T): T {
    const outer = this.#path
    this.#path = step.startsWith('[') || outer === '' ? `${outer}${step}` : `${outer}.${step}`
    const result = work()
    this.#path = outer
    return result
  }

  /** Each is reported once, and at most a hundred. */
  #problem(kind: StrictProblem['kind'], key: string): void {
    const path = this.#path === '' ? key : `${this.#path}.${key}`
    const id = `${kind} ${path}`
    if (this.strict.length >= 100 || this.#seen.has(id)) return
    this.#seen.add(id)
    this.strict.push({ kind, path })
  }
}

/** What Go's structs know comes in their order, and then what they do not know. */
function inOrderOf(
  properties: Readonly<Record<string, Schema>>,
  entries: readonly (readonly [string, JsonNode])[],
): readonly (readonly [string, JsonNode])[] {
  const names = Object.keys(properties)
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return [...entries].sort(([one], [other]) => place(one) - place(other))
}

/** Go writes the keys of its maps in order. */
function sorted(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const inOrder: Record<string, unknown> = {}
  for (const key of Object.keys(map).sort((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  ))
    setOwn(inOrder, key, map[key])
  return inOrder
}

type Unmarshal = (node: JsonNode, schema: Schema) => unknown

/** Types that read themselves, and stop everything where they cannot. */
const unmarshalers: Readonly<Record<string, Unmarshal>> = {
  'v1.Time': (node) => time(node, 'time'),
  'v1.MicroTime': (node) => time(node, 'microTime'),
  'v1.Duration': (node) =>
    node.kind === 'string' ? node.value : new GoTypeError(node.kind, 'string', undefined, ''),
  'resource.Quantity': (node) => {
    const text = node.kind === 'string' ? node.value : node.kind === 'number' ? node.literal : '{}'
    try {
      return canonicalQuantity(text.trim())
    } catch (error) {
      if (error instanceof QuantityError) throw new Fatal(error.message)
      throw error
    }
  },
  'intstr.IntOrString': (node) => {
    if (node.kind === 'string') return node.value
    if (node.kind !== 'number') return new GoTypeError(node.kind, 'int32', undefined, '')
    if (isInteger(node.literal, 'int32')) return Number(node.literal)
    return new GoTypeError(`number ${node.literal}`, 'int32', undefined, '')
  },
  'v1.FieldsV1': toValue,
  'runtime.RawExtension': toValue,
  'v1.JSON': toValue,
  'v1.JSONSchemaPropsOrArray': (node, schema) => {
    if (node.kind === 'object') return within(node, schema)
    return node.kind === 'array' && node.items.length > 0 ? listWithin(node, schema) : null
  },
  'v1.JSONSchemaPropsOrBool': (node, schema) => {
    if (node.kind === 'object') return within(node, schema)
    if (node.kind === 'bool') return node.value
    throw new Fatal('boolean or JSON schema expected')
  },
  'v1.JSONSchemaPropsOrStringArray': (node, schema) => {
    if (node.kind === 'object') return within(node, schema)
    if (node.kind !== 'array' || node.items.length === 0) return null
    return listWithin(node, { anyOf: [{ type: 'string' }] })
  },
}

function time(node: JsonNode, precision: 'time' | 'microTime'): unknown {
  if (node.kind !== 'string') return new GoTypeError(node.kind, 'string', undefined, '')
  try {
    const canonical = canonicalTime(node.value, precision)
    return isZeroTime(canonical) ? null : canonical
  } catch (error) {
    if (error instanceof TimeError) throw new Fatal(error.message)
    throw error
  }
}

/** Decodes on its own, leniently: unknown fields in here are not reported. */
function within(node: JsonNode, schema: Schema): unknown {
  const inner = new Decoder()
  const value = inner.value(node, schema.anyOf?.[0] ?? {})
  if (inner.error instanceof GoTypeError) return inner.error
  if (inner.error !== undefined) throw new Fatal(inner.error.message)
  return value
}

function listWithin(node: JsonNode, schema: Schema): unknown {
  return within(node, { anyOf: [{ type: 'array', items: schema.anyOf?.[0] ?? {} }] })
}

/** The struct's own name; that of one without a name is empty. */
function structName(schema: Schema): string {
  const type = schema['x-go']?.type ?? ''
  return type.startsWith('struct {') ? '' : type.slice(type.indexOf('.') + 1)
}

const ranges: Readonly<Record<string, readonly [low: bigint, high: bigint]>> = {
  int32: [-(1n << 31n), (1n << 31n) - 1n],
  uint8: [0n, 255n],
}

function isInteger(literal: string, type: string): boolean {
  if (!/^-?[0-9]+$/.test(literal)) return false
  const [low, high] = ranges[type] ?? [-(1n << 63n), (1n << 63n) - 1n]
  const value = BigInt(literal)
  return value >= low && value <= high
}

/** Where the input stops being base64, as Go counts; undefined if it never does. */
function corruptBase64(text: string): number | undefined {
  let quantum = 0
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] ?? ''
    if (character === '\n' || character === '\r') continue
    if (/[A-Za-z0-9+/]/.test(character)) {
      quantum = (quantum + 1) % 4
      continue
    }
    if (character !== '=' || quantum < 2) return i
    let rest = text.slice(i + 1).replaceAll(/[\r\n]/g, '')
    if (quantum === 2) {
      if (rest === '') return text.length
      if (!rest.startsWith('=')) return i + 1
      rest = rest.slice(1)
    }
    return rest === '' ? undefined : text.length - rest.length
  }
  return quantum === 0 ? undefined : text.length - quantum
}
