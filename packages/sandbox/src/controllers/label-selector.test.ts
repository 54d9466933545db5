import { expect, it } from 'vitest'
import { matchesSelector } from './label-selector.ts'

it('A label selector matches nothing when it is missing, and everything when it is empty', () => {
  expect([matchesSelector(undefined, {}), matchesSelector({}, {}), matchesSelector({})]).toEqual([
    false,
    true,
    true,
  ])
})

it.each([
  ['In', ['x'], true],
  ['In', ['y'], false],
  ['NotIn', ['y'], true],
  ['Exists', undefined, true],
  ['DoesNotExist', undefined, false],
  ['Nonsense', undefined, false],
])('A label selector with %s %o of a label "x" is %s', (operator, values, expected) => {
  const selector = { matchExpressions: [{ key: 'a', operator, ...(values && { values }) }] }
  expect(matchesSelector(selector, { a: 'x' })).toBe(expected)
})

it('A label selector with a negative operator alone matches an object without the label', () => {
  const matches = (operator: string) =>
    matchesSelector({ matchExpressions: [{ key: 'a', operator, values: ['x'] }] }, {})
  expect(['In', 'NotIn', 'Exists', 'DoesNotExist'].filter(matches)).toEqual(['NotIn', 'DoesNotExist'])
})
