import { expect, test } from 'vitest'
import answers from '../recorded-responses/rules.json' with { type: 'json' }
import type { Schema } from '../schema.ts'
import { validateCustomResource } from '../validate-custom-resource.ts'
import { validateRules } from './rules.ts'
import { escapeName, translate } from './source.ts'

interface Evaluated {
  readonly schema: number
  readonly rule?: unknown
  readonly key: string
  readonly old?: unknown
  readonly value: unknown
  readonly causes: readonly string[]
}

const evaluated = answers.evaluated as readonly Evaluated[]
test.each(evaluated)(
  'The rules report for $value (was $old) what kube-apiserver reports: $rule',
  ({ schema, rule, key, old, value, causes }) => {
    const part = {
      ...answers.schemas[schema],
      ...(rule === undefined ? {} : { 'x-kubernetes-validations': [rule] }),
    }
    const whole = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { [key]: part } } },
    } as unknown as Schema
    const object = (spec: unknown) => ({
      kind: 'K',
      apiVersion: 'x.io/v1',
      metadata: { name: 'a' },
      spec: { [key]: spec },
    })
    const before = old === undefined ? undefined : object(old)
    const { errors } = validateCustomResource({ object: object(value), old: before }, whole)
    expect(errors.map(({ field, message, reason }) => `${field}: ${message} (${reason})`)).toEqual(causes)
  },
)

test('The rules of the whole object see its name', () => {
  const schema: Schema = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a'" }],
  }
  expect(validateRules({ metadata: { name: 'a' } }, schema).errors).toEqual([])
  expect(validateRules({ metadata: { name: 'b' } }, schema).errors).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: '<nil>',
      message: "Invalid value: failed rule: self.metadata.name == 'a'",
    },
  ])
})

test.each([
  ['self.matches("a.matches(b)")', 'self.k8s_matches("a.matches(b)")'],
  ['sets . contains ( a, b )', 'k8s_setsContains ( a, b )'],
  ['self.format == 1', 'self.format == 1'],
  ["r'\\' + duration('1s')", "r'\\' + k8s_duration('1s')"],
])('The engine sees %s as %s', (rule, source) => {
  expect(translate(rule).source).toBe(source)
})

test.each([
  ['namespace', '__namespace__'],
  ['a-b', 'a__dash__b'],
  ['a.b/c', 'a__dot__b__slash__c'],
  ['a__b', 'a__underscores__b'],
  ['1a', undefined],
])('The property %s is called %s in rules', (name, escaped) => {
  expect(escapeName(name)).toBe(escaped)
})
