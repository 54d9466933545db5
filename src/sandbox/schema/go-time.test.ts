import { expect, test } from 'vitest'
import { canonicalTime } from './go-time.ts'

test.each([
  ['2020-01-01T00:00:00Z', 'time', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00+02:00', 'time', '2019-12-31T22:00:00Z'],
  ['2020-01-01T00:00:00.5Z', 'time', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00.123456Z', 'microTime', '2020-01-01T00:00:00.123456Z'],
] as const)('%s as a %s is %s', (text, precision, expected) => {
  expect(canonicalTime(text, precision)).toBe(expected)
})

test.each([
  ['foo', 'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"'],
  ['2020-01-01', 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
  ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
])('%s does not parse, in Go’s words', (text, message) => {
  expect(() => canonicalTime(text, 'time')).toThrow(message)
})
