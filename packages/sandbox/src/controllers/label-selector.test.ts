import { describe, expect, it } from 'vitest'
import { matchesSelector } from './label-selector.ts'

describe('a label selector', () => {
  it('matches nothing when it is missing, and everything when it is empty', () => {
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
  ])('with %s %o of a label "x" is %s', (operator, values, expected) => {
    const selector = { matchExpressions: [{ key: 'a', operator, ...(values && { values }) }] }
    expect(matchesSelector(selector, { a: 'x' })).toBe(expected)
  })

  it('with a negative operator alone matches an object without the label', () => {
    const matches = (operator: string) =>
      matchesSelector({ matchExpressions: [{ key: 'a', operator, values: ['x'] }] }, {})
    expect(['In', 'NotIn', 'Exists', 'DoesNotExist'].filter(matches)).toEqual(['NotIn', 'DoesNotExist'])
  })
})
