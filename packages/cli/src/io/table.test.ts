import { expect, test } from 'vitest'
import { table } from './table.ts'

test('A column is as wide as its longest cell', () => {
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

test('A cell of a megabyte does not pad the other rows to its length', () => {
  const rows = [
    ['edge', 'x'.repeat(1_000_000), 'yes'],
    ...Array.from({ length: 100 }, () => ['a', 'b', 'no']),
  ]
  const text = table(['NAME', 'DOMAIN', 'AVAILABLE'], rows)
  expect(text.length).toBeLessThan(1_010_000)
  expect(text).toContain(`${'x'.repeat(1_000_000)}   yes`)
})

test('A table can have two hundred thousand rows', () => {
  expect(
    table(
      ['NAME'],
      Array.from({ length: 200_000 }, () => ['a']),
    ).length,
  ).toBe(400_004)
})
