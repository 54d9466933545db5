import { expect, test } from 'vitest'
import { parseCount, parseDuration } from './duration.ts'

test.each([
  ['500ms', 500],
  ['2s', 2000],
  ['1.5s', 1500],
  ['1m', 60_000],
  ['2h', 7_200_000],
])('The duration %s is %i ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['2', 's', '-1s', '2d', ''])('The text "%s" is refused as a duration', (text) => {
  expect(() => parseDuration(text)).toThrow('It must be a duration such as 500ms, 2s, 1m or 1h.')
})

test.each(['-1', '1.5', '101', 'three', ''])('The text "%s" is refused as a count from 0 to 100', (text) => {
  expect(() => parseCount(0, 100)(text)).toThrow('It must be a whole number from 0 to 100.')
})
