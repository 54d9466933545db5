import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { expectToBeThere, namedTestsIn } from './named-tests.ts'

const page = await readFile('docs/findings/known-reproductions.md', 'utf8')
/** From the name of a reproduction to its row. */
const rows = new Map(
  [...page.matchAll(/^\| \**([^ |*]+)\**[^\n]*$/gm)].map(([row, name = '']) => [name, row] as const),
)
const bugs = Array.from({ length: 11 }, (_, at) => `B${at + 1}`)
const smaller = ['(a)', '(b)', '(c)', '(d)', '(e)', 'npm', 'swap', 'S1', 'S2']
const mutants = ['C1', 'C2', 'O1', 'O2', 'O4', 'P4', 'D3', 'H2', 'T3', 'S1m', 'A6']

test.each([...bugs, ...smaller, ...mutants])(
  'The reproduction %s names the test by which it fails',
  (name) => {
    expect(namedTestsIn(rows.get(name) ?? '').length).toBeGreaterThan(0)
  },
)

test.each(namedTestsIn(page))('A reproduction names an existing test: $path: $title', expectToBeThere)
