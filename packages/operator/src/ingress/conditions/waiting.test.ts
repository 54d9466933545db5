import { expect, test } from 'vitest'
import { waitsForPerson } from './waiting.ts'

test.each([
  ['ScopeChanged', true],
  ['LoadBalancerTypeChanged', true],
  ['TypeChanged', true],
  ['ScopeChanging', false],
  ['ServiceEdited', false],
  ['', false],
])('a change with the reason "%s" waits for a person: %s', (reason, isWaiting) => {
  expect(waitsForPerson({ reason })).toBe(isWaiting)
})

test('what has no reason, or is not there, waits for nobody', () => {
  expect(waitsForPerson({})).toBe(false)
  expect(waitsForPerson(undefined)).toBe(false)
})
