import { expect, test } from 'vitest'
import { canonicalTime } from './go-time.ts'

test.each([
  ['2020-01-01T00:00:00Z', 'time', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00+02:00', 'time', '2019-12-31T22:00:00Z'],
  ['2020-01-01T00:00:00.5Z', 'time', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00.123456Z', 'microTime', '2020-01-01T00:00:00.123456Z'],
  ['9999-12-31T23:59:59-23:00', 'time', '10000-01-01T22:59:59Z'],
  ['9999-12-31T23:59:59.123456-23:00', 'microTime', '10000-01-01T22:59:59.123456Z'],
  ['0000-01-01T00:00:00+23:00', 'time', '-0001-12-31T01:00:00Z'],
  ['0000-02-29T00:00:00Z', 'time', '0000-02-29T00:00:00Z'],
  ['0099-12-31T23:59:59-01:00', 'time', '0100-01-01T00:59:59Z'],
] as const)('%s as a %s is %s', (text, precision, expected) => {
  expect(canonicalTime(text, precision)).toBe(expected)
})

test.each([
  ['foo', 'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"'],
  ['2020-01-01', 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
  ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
])('The error for %s, which does not parse, is the same as in Go', (text, message) => {
  expect(() => canonicalTime(text, 'time')).toThrow(message)
})
