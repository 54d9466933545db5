import { isSameJson, type Random } from '@portcullis/kube'
import type { Field } from './fields.ts'
import { hostileTexts, hugeCollection, samplesOf } from './samples.ts'
import {
  holding,
  isItem,
  type Json,
  type JsonObject,
  pick,
  placeOf,
  validList,
  validValue,
  valueAt,
  withValue,
} from './values.ts'

/** The kinds of changes: by these names they are counted, and given on the command line. */
export const changeKinds = [
  'add',
  'change',
  'remove',
  'empty',
  'boundary',
  'past the boundary',
  'wrong type',
  'malformed',
  'unicode',
  'huge',
  'twice',
  'null',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Whether the value may stand there; open where that depends on what stands beside it. */
export type Verdict = 'valid' | 'invalid' | 'open'

/** One change of one field, as it is written. */
export interface Change {
  readonly field: Field
  readonly kind: ChangeKind
  readonly verdict: Verdict
  readonly value: Json
}

/** All changes of one kind that a field can have, whatever stands there. */
export function changesOf(field: Field, kind: ChangeKind, random: Random): readonly Change[] {
  return valuesFor(field, kind, random).map(([verdict, value]) => ({ field, kind, verdict, value }))
}

type LabelledValue = readonly [Verdict, Json]

function valuesFor(field: Field, kind: ChangeKind, random: Random): readonly LabelledValue[] {
  const { schema, isRequired } = field
  const samples = samplesOf(field)
  const valid = (...values: readonly Json[]) => values.map((value): LabelledValue => ['valid', value])
  const invalid = (...values: readonly Json[]) => values.map((value): LabelledValue => ['invalid', value])
  switch (kind) {
    case 'add':
      return valid(validValue(field, random))
    case 'change':
      return valid(...differentValues(field, random))
    case 'remove':
      return isRequired ? invalid(undefined) : [[isItem(field) ? 'open' : 'valid', undefined]]
    case 'empty':
      return emptyValues(field)
    case 'boundary':
      return valid(...boundaries(field, random))
    case 'past the boundary':
      return invalid(...pastBoundaries(field))
    case 'wrong type':
      return invalid(...wrongTypes[schema.type ?? 'string'].filter((value) => !passesAsFormat(schema, value)))
    case 'malformed':
      return samples.invalid.filter((value) => !isHostile(value)).map((value) => [wrongIn(field), value])
    case 'unicode':
      return hostileText(field, kind)
    case 'huge': {
      const collection = hugeCollection(field)
      return collection === undefined ? hostileText(field, kind) : valid(collection)
    }
    case 'twice':
      return repetitions(field, random)
    case 'null':
      return schema.nullable ? valid(null) : [['open', null]]
  }
}

/** At least two values that a field may have, from one to another of which it can change; none where there is but one. */
function differentValues(field: Field, random: Random): readonly Json[] {
  const samples = samplesOf(field).valid
  if (samples.length > 1 && field.schema.type !== 'array') return samples
  const one = validValue(field, random)
  for (let attempt = 0; attempt < 20; attempt++) {
    const other = validValue(field, random)
    if (!isSameJson(one, other)) return [one, other]
  }
  return []
}

/** In a status only the schema checks values, and the operator overwrites it. */
const wrongIn = ({ path }: Field) => (path[0] === 'status' ? 'open' : 'invalid')

const isHostile = (value: Json) => value === hostileTexts.unicode || value === hostileTexts.huge

function hostileText(field: Field, kind: 'unicode' | 'huge'): readonly LabelledValue[] {
  const text = hostileTexts[kind]
  return field.schema.type === 'string' ? [[verdictOn(text, field), text]] : []
}

function verdictOn(text: string, field: Field): Verdict {
  const { valid, invalid } = samplesOf(field)
  if (valid.includes(text)) return 'valid'
  return invalid.includes(text) ? wrongIn(field) : 'open'
}

function emptyValues(field: Field): readonly LabelledValue[] {
  const { schema, path } = field
  const { type, required, minItems = 0 } = schema
  if (type === 'object') return [[required === undefined ? 'open' : 'invalid', {}]]
  if (type === 'array') return [[minItems > 0 ? 'invalid' : 'open', []]]
  if (type !== 'string') return []
  if (samplesOf(field).valid.includes('')) return [['valid', '']]
  return [[path[0] === 'status' && schema.enum === undefined ? 'open' : 'invalid', '']]
}

function boundaries(field: Field, random: Random): readonly Json[] {
  const { schema, path } = field
  if (schema.type === 'integer') {
    const { minimum, maximum } = schema
    return [minimum, maximum].filter((bound) => bound !== undefined)
  }
  if (schema.type === 'array' && schema.maxItems !== undefined && schema.maxItems <= 5)
    return [validList({ path, schema, isRequired: false }, schema.maxItems, random)]
  if (schema.type === 'array' && schema.maxItems === mostRanges) return [ranges(schema.maxItems)]
  return []
}

/** Of the only list that may be so long. */
const mostRanges = 4096

function ranges(length: number): string[] {
  return Array.from({ length }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`)
}

function pastBoundaries({ schema }: Field): readonly Json[] {
  const { type, format, minimum, maximum, maxLength, maxItems } = schema
  if (type === 'integer') {
    const widest = format === 'int32' ? [2 ** 31, -(2 ** 31) - 1] : []
    const past = [minimum === undefined ? [] : [minimum - 1], maximum === undefined ? [] : [maximum + 1]]
    return [...past.flat(), ...widest]
  }
  if (type === 'string') return maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]
  if (type !== 'array' || maxItems === undefined) return []
  return [
    maxItems === mostRanges
      ? ranges(maxItems + 1)
      : Array.from({ length: maxItems + 1 }, (_, at) => `x${at}`),
  ]
}

const wrongTypes = {
  string: [7, true, {}, ['text']],
  integer: ['7', 1.5, true, {}, [7]],
  number: ['7', true],
  boolean: ['true', 0],
  object: ['text', 7, ['text']],
  array: ['text', 7, { a: 'b' }],
} as const

/** The API server does not look at the type of a list where text of a certain format is wanted. */
function passesAsFormat({ type, format }: Field['schema'], value: unknown): boolean {
  return type === 'string' && format !== undefined && Array.isArray(value)
}

function repetitions(field: Field, random: Random): readonly LabelledValue[] {
  const { schema } = field
  if (schema.type !== 'array') return []
  const [one] = validList(field, 1, random)
  const rules = JSON.stringify(schema['x-kubernetes-validations'] ?? '')
  const isRefused =
    /exists_one|size\(self\) != 2/.test(rules) ||
    ['set', 'map'].includes(String(schema['x-kubernetes-list-type']))
  return [[isRefused ? 'invalid' : 'valid', [one, one]]]
}

/** What becomes of an object by a change; undefined where nothing would. */
export function applied(
  root: JsonObject | undefined,
  change: Change,
  rootField: Field,
  random: Random,
): JsonObject | undefined {
  const { field, kind, value } = change
  const place = placeOf(field, rootField)
  const isThere = root !== undefined && valueAt(root, place) !== undefined
  if (kind === (isThere ? 'add' : 'remove')) return undefined
  const before = root ?? {}
  if (kind === 'remove') return place.length === 0 ? undefined : withValue(before, place, undefined)
  const next = holding(before, field, rootField, value, random)
  const isAsBefore = root !== undefined && isSameJson(next, root)
  return !isAsBefore && isSameJson(valueAt(next, place), value) ? next : undefined
}

/** A random change of a field, of any kind; invalid ones are rarer in sequences. */
export function anyChange(field: Field, random: Random): Change | undefined {
  const kind = pick(
    random() < 0.75 ? (['add', 'change', 'change', 'remove', 'empty', 'boundary'] as const) : changeKinds,
    random,
  )
  return kind && pick(changesOf(field, kind, random), random)
}
