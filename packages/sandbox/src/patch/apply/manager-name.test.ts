import { expect, test } from 'vitest'
import { fieldManagerErrors, managerName, patchOptionErrors } from './manager-name.ts'

test.each([
  ['mine', 'kubectl/v1', 'mine'],
  [undefined, 'kubectl/v1.36.3 (linux/amd64)', 'kubectl'],
  ['', 'Mozilla 5 (x) y/1', 'Mozilla 5 (x) y'],
  [undefined, `${'a'.repeat(200)}/x`, 'a'.repeat(128)],
  [undefined, 'ä'.repeat(200), 'ä'.repeat(64)],
  [undefined, 'a\u0007b/1', 'ab'],
  [undefined, undefined, 'unknown'],
  [undefined, '/1', 'unknown'],
])('A field manager requested as %j by the user agent %j is %j', (asked, userAgent, name) => {
  expect(managerName(asked, userAgent)).toBe(name)
})

test('A field manager is required for apply, and only apply may force', () => {
  expect(patchOptionErrors({ isApply: true, fieldManager: undefined, force: true })).toEqual([
    {
      reason: 'FieldValueRequired',
      field: 'fieldManager',
      message: 'Required value: is required for apply patch',
    },
  ])
  expect(patchOptionErrors({ isApply: false, fieldManager: 'm', force: true })).toEqual([
    {
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    },
  ])
})

test('A field manager is short and printable', () => {
  expect(fieldManagerErrors('x'.repeat(128))).toEqual([])
  expect(fieldManagerErrors('x'.repeat(129)).map(({ message }) => message)).toEqual([
    'Too long: may not be more than 128 bytes',
  ])
  expect(fieldManagerErrors('x\u0007').map(({ message }) => message)).toEqual([
    'Invalid value: "x\\a": invalid character U+0007 (at position 1)',
  ])
})
