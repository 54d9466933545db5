import { expect, test } from 'vitest'
import { newUid } from './uid.ts'

test('A uid has the form of a UUID', () => {
  expect(newUid(Math.random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('The same random numbers give the same uid', () => {
  const sequence = () => {
    let turn = 0
    return () => (turn++ % 7) / 7
  }
  expect(newUid(sequence())).toBe(newUid(sequence()))
})

test.each([
  [0, '00000000-0000-4000-8000-000000000000'],
  [1 - 2 ** -53, 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
])('A random number may be as low or high as %d', (chance, uid) => {
  expect(newUid(() => chance)).toBe(uid)
})
