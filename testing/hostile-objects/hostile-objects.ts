import type { Schema } from '@portcullis/schema'
import * as fc from 'fast-check'
import {
  type Edit,
  hostile,
  hostileKey,
  hostileText,
  hostileTimes,
  hugeBlanks,
  timeFor,
  unusualTimes,
} from './hostile-values.ts'
import type { HostileKind, PlainObject } from './kinds.ts'

/** One object that is to be written: as made, and what its status is then to say. */
export interface Case {
  readonly kind: HostileKind
  readonly object: PlainObject
  readonly status: object | undefined
  readonly edits: readonly Edit[]
  readonly isHuge: boolean
}

interface FieldPath {
  readonly path: readonly (string | 0)[]
  readonly schema: Schema
}

const deepest = 7
const hugeBytes = 500_000

/** Every field of a schema, down to a depth: some schemas contain themselves. */
function* fieldPathsIn(schema: Schema, path: FieldPath['path'] = []): Generator<FieldPath> {
  if (path.length > 0) yield { path, schema }
  if (path.length >= deepest) return
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (path.length === 0 && (name === 'kind' || name === 'apiVersion')) continue
    if (path.at(-1) === 'metadata' && path.length === 1 && reserved.has(name)) continue
    yield* fieldPathsIn(part, [...path, name])
  }
  if (schema.items !== undefined) yield* fieldPathsIn(schema.items, [...path, 0])
}

/** By these an object is found again. */
const reserved = new Set([
  'name',
  'namespace',
  'generateName',
  'uid',
  'resourceVersion',
  'ownerReferences',
  'finalizers',
  'deletionTimestamp',
])

/** The times that Go and JavaScript write differently, and more text than anything has room for: in each field by itself. */
export function systematicCases(kind: HostileKind): Case[] {
  const near = [...fieldPathsIn(kind.schema)].filter(({ path }) => has(kind.base, path.slice(0, -1)))
  return near.flatMap(({ path, schema }) => {
    if (schema.type !== 'string' || schema.enum !== undefined) return []
    const values =
      schema.format === 'date-time' ? unusualTimes.map((time) => timeFor(schema, time)) : [hugeBlanks]
    return values.map((value) => caseWith(kind, [{ path, value }]))
  })
}

export function casesOf(kind: HostileKind): fc.Arbitrary<Case> {
  const fieldPaths = [...fieldPathsIn(kind.schema)]
  // What the base has, and what stands beside it, is what the operator reads: it is tried more often.
  const near = fieldPaths.filter(({ path }) => has(kind.base, path.slice(0, -1)))
  const single = (some: readonly FieldPath[]) =>
    fc
      .constantFrom(...some)
      .chain(({ path, schema }) => hostile(schema).map((value): Edit => ({ path, value })))
  const edit = fc.oneof({ weight: 3, arbitrary: single(near) }, { weight: 1, arbitrary: single(fieldPaths) })
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 })
  const timed = near.filter(({ schema }) => schema.format === 'date-time')
  // Not always all: an Event with one of its times is of another make, and checked otherwise.
  const someTimes = fc
    .tuple(fc.constantFrom(...hostileTimes), fc.subarray(timed, { minLength: Math.min(1, timed.length) }))
    .map(([time, some]) => some.map(({ path, schema }): Edit => ({ path, value: timeFor(schema, time) })))
  // A field that no schema knows, where any may stand.
  const unknown = fc
    .tuple(fc.constantFrom('spec', 'status'), hostileKey, hostileText)
    .map(([part, key, value]): Edit[] => [{ path: [part, key], value }])
  return fc
    .oneof(
      { weight: 4, arbitrary: edits },
      ...(timed.length > 0 ? [{ weight: 1, arbitrary: someTimes }] : []),
      ...(kind.keepsUnknown ? [{ weight: 1, arbitrary: unknown }] : []),
    )
    .map((drawn) => caseWith(kind, drawn))
}

function caseWith(kind: HostileKind, edits: readonly Edit[]): Case {
  let whole: unknown = structuredClone(kind.base)
  for (const edit of edits) whole = edited(whole, edit, kind.schema)
  const { status, ...object } = whole as PlainObject
  const isHuge = JSON.stringify(edits).length > hugeBytes
  return { kind, object, status: status as object | undefined, edits, isHuge }
}

function has(value: unknown, path: Edit['path']): boolean {
  const [step, ...rest] = path
  if (step === undefined) return true
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false
  return has((value as Record<string | 0, unknown>)[step], rest)
}

/** The object with something else in one place; what must be on the way there is put there as the schema asks. */
function edited(value: unknown, { path, value: put }: Edit, schema: Schema | undefined): unknown {
  const [step, ...rest] = path
  if (step === undefined) return put
  const inner = { path: rest, value: put }
  if (step === 0) {
    const [first, ...others] = Array.isArray(value) ? (value as unknown[]) : []
    return [edited(first ?? minimal(schema?.items), inner, schema?.items), ...others]
  }
  const part = schema?.properties?.[step]
  const object = typeof value === 'object' && value !== null ? value : {}
  const had = Object.hasOwn(object, step)
    ? (object as Record<string, unknown>)[step]
    : rest.length === 0
      ? undefined
      : minimal(part)
  // Not by assignment: a field may be called __proto__.
  return Object.fromEntries([
    ...Object.entries(object).filter(([name]) => name !== step),
    [step, edited(had, inner, part)],
  ])
}

/** The least that the schema lets pass. */
function minimal(schema: Schema | undefined): unknown {
  if (schema?.enum !== undefined) return schema.enum[0]
  switch (schema?.type) {
    case 'string':
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'a'
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
    case undefined: {
      const required = (schema?.required ?? []).map((name) => [name, minimal(schema?.properties?.[name])])
      return Object.fromEntries(required)
    }
  }
}
