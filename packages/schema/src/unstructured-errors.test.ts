import { expect, test } from 'vitest'
import { decode } from './decode.ts'
import { parseJson } from './json-text.ts'
import { loadKubernetesSchemas } from './kubernetes.ts'
import type { Schema } from './schema.ts'
import { converterComplaint } from './unstructured-errors.ts'

const words: readonly (readonly [schema: Schema, value: string, problem: string])[] = [
  [{ type: 'array' }, '{}', 'cannot restore slice from map'],
  [{ type: 'array' }, '"x"', 'cannot restore slice from string'],
  [{ type: 'object' }, '[]', 'cannot restore map from slice'],
  [{ type: 'object', properties: {} }, 'true', 'cannot restore struct from: bool'],
  [{ type: 'string', format: 'byte' }, '1', 'cannot restore slice from int64'],
  [{ type: 'string' }, '1', 'cannot convert int64 to string'],
  [{ type: 'string' }, '1.5', 'unrecognized type: string'],
  [{ type: 'string' }, '{}', 'unrecognized type: string'],
  [{ type: 'boolean' }, '"x"', 'unrecognized type: bool'],
  [{ type: 'integer', format: 'int32' }, '1.5', 'cannot convert float64 to int32'],
  [{ type: 'integer', format: 'int32' }, '"80"', 'unrecognized type: int32'],
]

test.each(words)('The error of a value for %j, %s, is that of Go: %s', (schema, value, problem) => {
  expect(converterComplaint(parseJson(value), schema)).toBe(problem)
})

test('A strategic merge patch is read by the unstructured converter, others by the parser', () => {
  const schema = loadKubernetesSchemas().lookup({ group: '', version: 'v1', kind: 'ConfigMap' }) ?? {}
  const value = { metadata: { name: 'a', labels: 'x' } }
  expect(decode(schema, { value }, 'converter')).toEqual({ error: 'cannot restore map from string' })
  expect(decode(schema, { value }, 'parser')).not.toEqual(decode(schema, { value }, 'converter'))
})
