import type { Schema } from '@portcullis/schema'
import * as fc from 'fast-check'

/** Where something is put into an object, and what: a step is a field, a key of a map, or the place in a list. */
export interface Edit {
  readonly path: readonly (string | 0)[]
  readonly value: unknown
}

const times = [
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:00',
  '2016-12-31T23:59:60Z',
  '2026-02-29T00:00:00Z',
  '2026-01-01T00:00:00.123456789+05:30',
  '1970-01-01T00:00:00Z',
  '',
]
export const hostileTimes: readonly string[] = times
/** The server takes these, and gives them back as nobody else writes them; the last one as null. */
export const unusualTimes = ['9999-12-31T23:59:59-23:00', '0000-01-01T00:00:00+23:00', '0001-01-01T00:00:00Z']

/** As fields of this schema take it. */
export function timeFor(schema: Schema, time: string): string {
  return isMicro(schema) ? micro(time) : time
}

function isMicro(schema: Schema): boolean {
  return schema['x-go']?.type?.includes('MicroTime') ?? false
}

const micro = (time: string) => time.replace(/(:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/, '$1.000000$2')

const blanks = (length: number) => ' '.repeat(length)
const shortTexts = [
  '',
  ' ',
  'a',
  'x'.repeat(63),
  'x'.repeat(253),
  '\u0000',
  '\u001b[2J',
  '\u202e',
  '\ud800',
  '👩',
  '`reboot`',
  '__proto__',
  'constructor',
  '-1',
  '0',
  'null',
  'a\nb',
  'a.b/c',
  '::1',
  '::ffff:192.0.2.1',
  'fe80::1%eth0',
  '010.0.0.1',
  '192.0.2.1',
  '999.1.1.1',
]
const longTexts = [
  blanks(2_000),
  `${blanks(20_000)}\n`,
  '\n'.repeat(5_000),
  '\u202e'.repeat(3_000),
  '👩'.repeat(2_500),
  '.'.repeat(10_000),
  '`'.repeat(10_000),
]
export const hugeBlanks = blanks(1_000_000)
/** Just below what etcd takes. */
const hugeTexts = [
  hugeBlanks,
  `${blanks(999_000)}x`,
  '\n '.repeat(300_000),
  'a'.repeat(1_000_000),
  `fe80::1%${'a'.repeat(1_000_000)}`,
]

const text = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...shortTexts) },
  { weight: 4, arbitrary: fc.constantFrom(...longTexts) },
  { weight: 1, arbitrary: fc.constantFrom(...hugeTexts) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const whole = fc.constantFrom(
  0,
  1,
  -1,
  80,
  443,
  30_080,
  65_535,
  65_536,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 53,
  9.2e18,
)
const numbers = fc.oneof(whole, fc.constantFrom(0.5, -0.5, 1e-300, 1e300))
const quantities = fc.constantFrom(
  '0',
  '1',
  '-1',
  '1Ei',
  '1e999',
  '0.000000000001',
  '9223372036854775807',
  '',
)
const keys = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'x'.repeat(63),
  'x'.repeat(253),
  'a.example/b',
  'ключ',
  ' ',
  'a\u0000b',
)

/** Anything that a part with this schema may have to put up with; mostly of its type, else hardly any would be taken. */
export function hostile(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fittingOf(schema, depth)
  return fc.oneof(
    { weight: 30, arbitrary: fitting },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: text },
  )
}

function fittingOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string')
    return fc.oneof(whole, fc.constantFrom('0%', '100%', '101%', '-1%', '50%', 'http', '', '80'))
  if (schema['x-go']?.type === 'resource.Quantity') return quantities
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date-time') return fc.constantFrom(...times).map((time) => timeFor(schema, time))
      return text
    case 'integer':
      return whole
    case 'number':
      return numbers
    case 'boolean':
      return fc.boolean()
    case 'array':
      return depth > 2 || schema.items === undefined
        ? fc.constant([])
        : fc.oneof(fc.constant([]), fc.array(hostile(schema.items, depth + 1), { maxLength: 3 }))
    case 'object':
    case undefined:
    default:
      return objectOf(schema, depth)
  }
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { additionalProperties, properties } = schema
  if (depth > 3) return fc.constant({})
  if (typeof additionalProperties === 'object')
    return fc
      .array(fc.tuple(keys, hostile(additionalProperties, depth + 1)), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries))
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && properties === undefined)
    return fc.oneof(
      fc.array(fc.tuple(keys, text), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      fc.constant(nested(2_000)),
    )
  return fc.constant({})
}

/** As deep as the server lets anybody go, nearly. */
export function nested(levels: number): unknown {
  let value: unknown = {}
  for (let i = 0; i < levels; i++) value = { x: value }
  return value
}

export const hostileKey = keys
export const hostileText = text
