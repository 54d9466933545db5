import { expect, test } from 'vitest'
import { patchType } from './patch-type.ts'

test.each([
  ['application/merge-patch+json', true],
  ['application/merge-patch+json; charset=utf-8', false],
  ['application/strategic-merge-patch+json', false],
])('The media type %s is a patch (of a custom resource: %j)', (contentType, isCustom) => {
  expect(contentType.startsWith(patchType(contentType, { isCustom }))).toBe(true)
})

test('A custom resource accepts no strategic merge patch', () => {
  expect(() => patchType('application/strategic-merge-patch+json', { isCustom: true })).toThrow(
    expect.objectContaining({
      refusal: {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      },
    }),
  )
})

test('The error of a built-in kind is shorter', () => {
  expect(() => patchType('application/json', { isCustom: false })).toThrow(
    expect.objectContaining({
      refusal: {
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
        details: {},
      },
    }),
  )
})
