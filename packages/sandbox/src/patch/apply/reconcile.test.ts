import type { Schema } from '@portcullis/schema'
import { expect, test } from 'vitest'
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts'
import { reconciled } from './reconcile.ts'
import { objectType } from './typed-schema.ts'

const string: Schema = { type: 'string' }
const spec: Schema = {
  type: 'object',
  properties: {
    text: string,
    parts: { type: 'object', additionalProperties: string, 'x-kubernetes-map-type': 'atomic' },
    struct: { type: 'object', properties: { a: string }, 'x-kubernetes-map-type': 'atomic' },
    list: { type: 'array', items: string, 'x-kubernetes-list-type': 'atomic' },
  },
}

test('An owner of a part of a field that became atomic owns the whole of it', () => {
  const before = fromFieldsV1({
    'f:spec': {
      'f:list': { '.': {}, 'v:"x"': {} },
      'f:parts': { 'f:p': {} },
      'f:struct': { '.': {}, 'f:a': {} },
      'f:text': {},
    },
  })
  expect(toFieldsV1(reconciled(before, objectType({ type: 'object', properties: { spec } })))).toEqual({
    'f:spec': { 'f:list': {}, 'f:parts': {}, 'f:struct': {}, 'f:text': {} },
  })
})

test('A field that was atomic already stays as it is', () => {
  const before = fromFieldsV1({ 'f:spec': { '.': {}, 'f:list': {}, 'f:parts': {} } })
  expect(reconciled(before, objectType({ type: 'object', properties: { spec } }))).toBe(before)
})
