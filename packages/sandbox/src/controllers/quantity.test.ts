import { expect, it } from 'vitest'
import { quantity } from './quantity.ts'

it.each([
  ['100m', 0.1],
  ['2', 2],
  ['1Gi', 2 ** 30],
  ['1.5k', 1500],
  ['1e3', 1000],
  [3, 3],
  [undefined, 0],
  ['nonsense', 0],
])('%s is %d', (text, expected) => {
  expect(quantity(text)).toBe(expected)
})
