import { expect, test } from 'vitest'
import { admitCustomResource, decodeCustomResource, validateType } from './custom-resource.ts'
import { strictDecodingError, strictProblem } from './decode.ts'
import type { FieldError } from './field-error.ts'
import answers from './recorded-responses/custom-resources.json' with { type: 'json' }
import ratcheting from './recorded-responses/ratcheting.json' with { type: 'json' }
import type { Schema } from './schema.ts'
import { validateCustomResource } from './validate-custom-resource.ts'

const kind = { group: 'x.io', version: 'v1', kind: 'Foo' }
const schema = answers.schema as unknown as Schema
/** The real server goes through fields in no particular order. */
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1))
const causesOf = (errors: readonly FieldError[]) =>
  errors.map(({ field, message, reason }) => `${field}: ${message} (${reason})`).toSorted()
const warned = (warnings: readonly string[]) => warnings.map((text) => `299 - ${JSON.stringify(text)}`)

interface Create {
  readonly spec: unknown
  readonly result?: unknown
  readonly causes?: readonly string[]
  readonly message?: string
  readonly warnings?: readonly string[]
}

const creates = answers.creates as readonly Create[]
test.each(creates)(
  'A custom resource is accepted or refused as kube-apiserver does: $spec',
  ({ spec, result, causes, message, warnings }) => {
    const body = JSON.stringify({ apiVersion: 'x.io/v1', kind: 'Foo', metadata: { name: 'a' }, spec })
    const decoded = decodeCustomResource(body, kind, schema)
    if ('error' in decoded) {
      expect(decoded.error).toBe(message)
      return
    }
    expect(warned(decoded.strict.map(strictProblem))).toEqual(warnings ?? [])
    const { errors } = validateCustomResource({ object: decoded.object }, schema)
    expect(causesOf(errors)).toEqual(sorted(causes ?? []))
    if (errors.length === 0) expect(decoded.object['spec']).toEqual(result)
  },
)

test.each(answers.bodies)(
  'A custom resource that cannot be decoded is refused as kube-apiserver refuses it ($mode): $body',
  ({ mode, body, message }) => {
    const decoded = decodeCustomResource(body, kind, schema, { lenient: mode === 'Ignore' })
    if ('error' in decoded) expect(decoded.error).toBe(message)
    else if (mode === 'Strict' && decoded.strict.length > 0)
      expect(message.endsWith(`cannot be handled as a Foo: ${strictDecodingError(decoded.strict)}`)).toBe(
        true,
      )
    else expect(decoded.mismatch).toBe(message)
  },
)

test('A custom resource of another kind is refused with the kind that was expected', () => {
  const object = { apiVersion: 'x.io/v1', kind: 'Bar', metadata: {} }
  expect(causesOf(validateType(object, kind))).toEqual([
    'kind: Invalid value: "Bar": must be Foo (FieldValueInvalid)',
  ])
})

test('A custom resource created by a patch is pruned and defaulted like any other', () => {
  const object = { metadata: { name: 'a', foo: 1 }, spec: { req: 'x', unknown: 1, def: null }, other: 1 }
  expect(admitCustomResource(object, schema)).toEqual({
    unknown: ['metadata.foo', 'other', 'spec.unknown'],
  })
  expect(object).toEqual({ metadata: { name: 'a' }, spec: { req: 'x', def: 'dflt', defo: { x: 7 } } })
})

const meta = { apiVersion: 'x.io/v1', kind: 'R', metadata: { name: 'a' } }
const tightened = ratcheting.schema as unknown as Schema
const old = { ...meta, ...ratcheting.old }
test.each(ratcheting.updates)(
  'An update of an object that was valid once is ratcheted where it changes nothing: $spec',
  ({ spec, causes, warnings }) => {
    const validation = validateCustomResource({ object: { ...old, spec }, old }, tightened)
    expect(causesOf(validation.errors)).toEqual(sorted(causes))
    expect(sorted(warned(validation.warnings))).toEqual(sorted(warnings))
  },
)

test.each(ratcheting.statuses)(
  'An update of the status is validated against the status alone: $status',
  ({ status, causes, warnings }) => {
    const validation = validateCustomResource({ object: { ...old, status }, old, status: true }, tightened)
    expect(causesOf(validation.errors)).toEqual(sorted(causes))
    expect(sorted(warned(validation.warnings))).toEqual(sorted(warnings))
  },
)
