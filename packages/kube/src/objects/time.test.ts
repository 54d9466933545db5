import { expect, test } from 'vitest'
import { microTime, parseTime, timestamp } from './time.ts'

test.each([
  ['a usual time', '2030-01-01T00:00:01Z', Date.UTC(2030, 0, 1, 0, 0, 1)],
  ['a MicroTime', '2030-01-01T00:00:01.500000Z', Date.UTC(2030, 0, 1, 0, 0, 1, 500)],
  ['a time with an offset', '2030-01-01T00:00:01+01:00', Date.UTC(2029, 11, 31, 23, 0, 1)],
  ['the year 10000, as Go writes it', '10000-01-01T22:59:59Z', Date.UTC(10_000, 0, 1, 22, 59, 59)],
  ['a year before 0, as Go writes it', '-0001-12-31T01:00:00Z', Date.parse('-000001-12-31T01:00:00Z')],
  ['the longest of texts', `2030-01-01T00:00:01.${'0'.repeat(43)}Z`, Date.UTC(2030, 0, 1, 0, 0, 1)],
  ['a time as a Date prints it', '+010000-01-01T22:59:59.000Z', Date.UTC(10_000, 0, 1, 22, 59, 59)],
])('%s is read', (_, text, milliseconds) => {
  expect(parseTime(text)?.getTime()).toBe(milliseconds)
})

test.each([
  ['no time', undefined],
  ["Go's zero time, which comes as null", null],
  ['an empty text', ''],
  ['a leap second', '2016-12-31T23:59:60Z'],
  ['a text', 'tomorrow'],
  ['a million digits', '1'.repeat(1_000_000)],
  ['a text that is longer than any time', `2030-01-01T00:00:01.${'0'.repeat(44)}Z`],
  ['a year of six digits without a sign', '100000-01-01T00:00:00Z'],
  ['a time that stands behind something else', 'at 10000-01-01T00:00:00Z'],
])('%s is no time, and throws nothing', (_, text) => {
  expect(parseTime(text)).toBeUndefined()
})

test('A MicroTime has six digits, the last three as given', () => {
  const date = new Date('2026-01-01T00:00:00.120Z')
  expect(microTime(date)).toBe('2026-01-01T00:00:00.120000Z')
  expect(microTime(date, 7)).toBe('2026-01-01T00:00:00.120007Z')
})

test('A timestamp is written in whole seconds', () => {
  expect(timestamp(new Date('2030-01-01T00:00:00.999Z'))).toBe('2030-01-01T00:00:00Z')
})
