import { expect, test } from 'vitest'
import { z } from 'zod'
import { atomicList, mapList, openObject, rules } from './markers.ts'
import { structuralSchema } from './structural-schema.ts'

const fieldOf = (schema: z.ZodType) => structuralSchema(z.object({ field: schema })).properties?.['field']

test('The schema of a number has the format int32 instead of bounds', () => {
  expect(fieldOf(z.int32())).toEqual({ type: 'integer', format: 'int32' })
})

test('The schema of a number has the format int64 for any other integer', () => {
  expect(fieldOf(z.int())).toEqual({ type: 'integer', format: 'int64' })
})

test('The schema of a number keeps explicit limits', () => {
  expect(fieldOf(z.int32().min(1).max(65535))).toEqual({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 65535,
  })
})

test('Fields with a default and optional fields are not required', () => {
  const schema = z.object({
    needed: z.string(),
    usual: z.string().default('x'),
    optional: z.string().optional(),
  })
  expect(structuralSchema(schema)).toEqual({
    type: 'object',
    required: ['needed'],
    properties: {
      needed: { type: 'string' },
      usual: { type: 'string', default: 'x' },
      optional: { type: 'string' },
    },
  })
})

test('An open object preserves unknown fields', () => {
  expect(fieldOf(openObject({ known: z.string() }).optional())).toEqual({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    required: ['known'],
    properties: { known: { type: 'string' } },
  })
})

test('A map is an object with a schema for its values', () => {
  expect(fieldOf(z.record(z.string(), z.string()))).toEqual({
    type: 'object',
    additionalProperties: { type: 'string' },
  })
})

test('A nullable field has the keyword nullable', () => {
  expect(fieldOf(z.array(z.string()).nullable().optional().meta(atomicList))).toEqual({
    type: 'array',
    nullable: true,
    'x-kubernetes-list-type': 'atomic',
    items: { type: 'string' },
  })
})

test('Markers and descriptions are combined', () => {
  const rule = { rule: "self != ''", message: 'field must not be empty; write something.' }
  const named = z.object({ name: z.string().describe('Its name.').meta(rules(rule)) })
  expect(fieldOf(z.array(named).describe('All of them.').meta(mapList('name')))).toEqual({
    type: 'array',
    description: 'All of them.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Its name.', 'x-kubernetes-validations': [rule] } },
    },
  })
})

test('The keywords of a schema begin with description and type and end with properties', () => {
  const schema = structuralSchema(openObject({ name: z.string() }).describe('A thing.'))
  expect(Object.keys(schema)).toEqual([
    'description',
    'type',
    'required',
    'x-kubernetes-preserve-unknown-fields',
    'properties',
  ])
})
