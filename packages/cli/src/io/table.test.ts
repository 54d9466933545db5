import { expect, test } from 'vitest'
import { table } from './table.ts'

test('columns are as wide as what stands in them', () => {
  expect(
    table(
      ['NAME', 'DOMAIN'],
      [
        ['edge', 'a.example'],
        ['x', 'b.example'],
      ],
    ).split('\n'),
  ).toEqual(['NAME   DOMAIN', 'edge   a.example', 'x      b.example'])
})

test('a megabyte in one cell is printed once, and does not fill up each row with as many blanks', () => {
  const rows = [
    ['edge', 'x'.repeat(1_000_000), 'yes'],
    ...Array.from({ length: 100 }, () => ['a', 'b', 'no']),
  ]
  const text = table(['NAME', 'DOMAIN', 'AVAILABLE'], rows)
  expect(text.length).toBeLessThan(1_010_000)
  expect(text).toContain(`${'x'.repeat(1_000_000)}   yes`)
})

test('two hundred thousand rows are a table too', () => {
  expect(
    table(
      ['NAME'],
      Array.from({ length: 200_000 }, () => ['a']),
    ).length,
  ).toBe(400_004)
})
