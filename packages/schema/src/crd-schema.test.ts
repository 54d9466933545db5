import { expect, test } from 'vitest'
import { validateCrdSchema } from './crd-schema.ts'
import answers from './recorded-responses/definitions.json' with { type: 'json' }
import rules from './recorded-responses/rules.json' with { type: 'json' }
import type { Schema } from './schema.ts'

/** A schema with one rule more, as the answers about rules have it. */
const ruled = ({ schema, rule }: { schema: number; rule?: unknown }) => ({
  ...rules.schemas[schema],
  ...(rule === undefined ? {} : { 'x-kubernetes-validations': [rule] }),
})

const path = 'spec.validation.openAPIV3Schema'
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1))
const causesOf = (schema: unknown) =>
  validateCrdSchema(schema as Schema, path)
    .map(({ field, message, reason }) => `${field}: ${message} (${reason})`)
    .toSorted()

test.each(answers.schemas)('A schema is validated as kube-apiserver does: $schema', ({ schema, causes }) => {
  expect(causesOf(schema)).toEqual(sorted(causes))
})

test.each(rules.refused)(
  'A rule that cannot work is refused as kube-apiserver refuses it: $rule',
  (refused) => {
    expect(causesOf({ type: 'object', properties: { spec: ruled(refused) } })).toEqual(sorted(refused.causes))
  },
)

test.each(rules.evaluated)('A rule that can work is accepted: $rule', (evaluated) => {
  expect(causesOf({ type: 'object', properties: { spec: ruled(evaluated) } })).toEqual([])
})
