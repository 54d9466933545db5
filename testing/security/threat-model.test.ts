import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { expectToBeThere, namedTestsIn } from './named-tests.ts'

const page = await readFile('docs/threat-model.md', 'utf8')

test.each(namedTestsIn(page))('The threat model names an existing test: $path: $title', expectToBeThere)

test('Every row of the threat model names its test, or says that there is none', () => {
  const rows = page.split('\n').filter((line) => /^\| (?!what )[^-]/.test(line))
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const last = row.split(' | ').at(-1) ?? ''
    expect(last, row).toMatch(/“[^”]+” \|$|^not held by a test \|$/)
  }
})
