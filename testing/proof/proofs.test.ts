import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { figuresIn, proofs, wasSkipped } from './proofs.ts'

test('A figure is the last line that matches, without colours and runs of spaces', () => {
  const output =
    '\u001B[2m Tests \u001B[22m  1 passed (1)\n      Tests  \u001B[32m12 passed\u001B[39m (12)\nDuration 3 s\n'
  expect(figuresIn(output, { figures: [/^\s*Tests\s+(.* passed.*)$/, /^Nothing$/] })).toEqual([
    '12 passed (12)',
  ])
})

test('Every proof plays a script that package.json has, under a name of its own', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  expect(proofs.map(({ script }) => script).filter((script) => scripts[script] === undefined)).toEqual([])
  expect(new Set(proofs.map(({ name }) => name)).size).toBe(proofs.length)
})

test('A proof counts as skipped only if none of its tests has run', () => {
  expect(wasSkipped('\u001B[2m      Tests \u001B[22m 12 skipped (12)\n')).toBe(true)
  expect(wasSkipped('      Tests  3 passed | 12 skipped (15)\n')).toBe(false)
  expect(wasSkipped('      Tests  12 passed (12)\n')).toBe(false)
})
