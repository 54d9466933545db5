import { expect, test } from 'vitest'
import { appliedObject } from './applied-object.ts'

test('An applied configuration is an object, or nothing', () => {
  expect(appliedObject({ kind: 'ConfigMap' })).toEqual({ kind: 'ConfigMap' })
  expect(appliedObject(null)).toEqual({})
})

test.each([
  [[], 'array'],
  ['x', 'string'],
  [3, 'number'],
])('The object %j cannot be applied', (body, kind) => {
  expect(() => appliedObject(body)).toThrow(
    expect.objectContaining({
      refusal: {
        code: 400,
        reason: 'BadRequest',
        message: `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      },
    }),
  )
})
