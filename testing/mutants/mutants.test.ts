import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Accepted, compare, readAccepted } from './accepted.ts'
import { ActiveMutant } from './active-mutant.ts'
import { rejectedByCompiler, withMutant } from './compiler.ts'
import { isDecisionCode } from './decision-code.ts'
import { instrument, type Mutant, mutantsOf } from './mutate.ts'
import { scores } from './score.ts'
import { distanceOf, loadedBy, testsOf } from './test-files.ts'

const replaced = (source: string) =>
  mutantsOf('a.ts', source).map(({ original, replacement }) => `${original} → ${replacement}`)

describe('Mutants', () => {
  test.each([
    ['a condition', 'if (a) b', ['a → true', 'a → false', 'b → ']],
    ['each operand that could be forgotten', 'x = a && b', ['x = a && b → ', 'a && b → a', 'a && b → b']],
    ['a default', 'x = a ?? b', ['x = a ?? b → ', 'a ?? b → a', 'a ?? b → b']],
    ['an equality', 'x = a === b', ['x = a === b → ', 'a === b → a !== b']],
    ['a boundary', 'x = a < b', ['x = a < b → ', 'a < b → a >= b', 'a < b → a <= b']],
    ['a negation', 'x = !a', ['x = !a → ', '!a → a']],
    ['a number', 'x = 3', ['x = 3 → ', '3 → 4']],
    [
      'a word, but no sentence',
      "x = f('word', 'two words')",
      ["x = f('word', 'two words') → ", "'word' → ''"],
    ],
    [
      'every question of a chain',
      'x = a?.b?.[c]',
      ['x = a?.b?.[c] → ', 'a?.b?.[c] → a?.b[c]', 'a?.b?.[c] → a.b?.[c]'],
    ],
    [
      'a link of a chain, of which nothing else may change',
      'x = a?.b.trim().c',
      ['x = a?.b.trim().c → ', 'a?.b.trim().c → a.b.trim().c', 'a?.b.trim().c → a?.b.c'],
    ],
    ['the body of a function', 'function f() { return }', ['{ return } → ']],
    ['what an arrow gives', 'x = () => a', ['x = () => a → ', 'a → undefined']],
    ['a selection', 'x = a.filter(b)', ['x = a.filter(b) → ', 'a.filter(b) → a']],
    ['an anchor', 'x = /^a$/', ['x = /^a$/ → ', '/^a$/ → /a$/', '/^a$/ → /^a/']],
  ])('The mutators change %s', (_, source, mutants) => {
    expect(replaced(source)).toEqual(mutants)
  })

  test.each([
    ['a type', "type A = 'x' | 'y'"],
    ['an import', "import { a } from './a.ts'"],
    ['a key', 'const { a } = b'],
  ])('The mutators do not change %s, which has no effect at run time', (_, source) => {
    expect(replaced(source)).toEqual([])
  })
})

/** Runs instrumented code with one mutant, or none, and gives what it leaves in `result`. */
function run(source: string, active: number | undefined): unknown {
  const code = instrument(source, mutantsOf('a.js', source))
  // oxlint-disable-next-line typescript/no-implied-eval
  const body = new Function('__isMutant', `let result\n${code}\nreturn result`) as (is: unknown) => unknown
  return body(new ActiveMutant(active).isMutant)
}

test('Instrumented code behaves as the original while no mutant is active, and else as the active one', () => {
  const source =
    "const f = (a, b) => a > 1 && b?.c !== 'x'\nif (f(2, { c: 'y' })) result = [1].concat(2)\nelse result = 'no'"
  expect(run(source, undefined)).toEqual([1, 2])
  for (const { id, start, end, original, replacement } of mutantsOf('a.js', source)) {
    const expected = source.slice(0, start) + (replacement || ';') + source.slice(end)
    // oxlint-disable-next-line typescript/no-implied-eval
    const plain = new Function(`let result\n${expected}\nreturn result`) as () => unknown
    expect(run(source, id), `${original} → ${replacement}`).toEqual(plain())
  }
})

test('An expression statement has mutants as an expression and as a statement', () => {
  const source = 'result = 1\nresult += 1'
  const mutants = mutantsOf('a.js', source).filter(({ line }) => line === 2)
  const results = mutants.map(({ id, replacement }) => [replacement, run(source, id)])
  expect(results).toEqual([
    ['', 1],
    ['result -= 1', 0],
    ['2', 3],
  ])
})

test('A mutant at the start of a statement is not parsed as part of the line before', () => {
  const source = 'const a = f\ncount++'
  const mutant = mutantsOf('a.ts', source).find(({ replacement }) => replacement === 'count--')
  expect(mutant && withMutant(source, mutant)).toBe('const a = f\n;(count--)')
})

test('An optional chain still short-circuits when one of its links has a mutant', () => {
  expect(run('const a = {}\nresult = a.b?.trim().toLowerCase()', undefined)).toBeUndefined()
})

test('A loop that a mutant makes endless is ended', () => {
  const board = new ActiveMutant(undefined)
  board.activate(1, 1000)
  expect(() => {
    while (board.isMutant(1)) void 0
  }).toThrow('on and on')
})

test('Code that does not compile is no mutant, and code that is only untidy is one', () => {
  const file = 'packages/operator/src/ingress/seniority.ts'
  const mutants = mutantsOf(file, readFileSync(file, 'utf8'))
  const away = rejectedByCompiler(mutants)
  const replacements = (isAway: boolean) =>
    mutants.filter(({ id }) => away.has(id) === isAway).map(({ replacement }) => replacement)
  expect(replacements(true)).toContain('')
  expect(replacements(false)).toContain('false')
}, 60_000)

describe('Decision code', () => {
  test.each([
    ['computes alone', "import { isIP } from 'node:net'\nexport const a = (b: string) => isIP(b) > 0", true],
    ['may import types of what does more', "import type { Server } from 'node:http'", true],
    ['does not wait', 'export async function a() {}', false],
    ['does not speak with the machine', "import { readFileSync } from 'node:fs'", false],
    ['does not count for Prometheus', "import { Counter } from 'prom-client'", false],
  ])('The mutators change %s', (_, source, expected) => {
    expect(isDecisionCode('packages/kube/src/a.ts', source)).toBe(expected)
  })
})

describe('Surviving mutants', () => {
  const [survivor] = mutantsOf('src/a.ts', 'const a = 1') as [Mutant]
  const entry: Accepted = {
    file: 'src/a.ts',
    code: 'const a = 1',
    original: '1',
    replacement: '2',
    reason: 'nobody counts',
  }

  test('A listed survivor is accepted, wherever its line has moved', () => {
    expect(compare([{ ...survivor, line: 7 }], [entry], ['src/a.ts'])).toMatchObject({
      unlisted: [],
      stale: [],
    })
  })

  test('A survivor of other code is not accepted, and the entry is stale', () => {
    const other = { ...entry, code: 'const b = 1' }
    expect(compare([survivor], [other], ['src/a.ts'])).toEqual({
      unlisted: [survivor],
      listed: [],
      stale: [other],
    })
  })

  test('A survivor cannot be listed without a reason', () => {
    const { reason, file, ...mutant } = entry
    expect(readAccepted(JSON.stringify([{ file, reason, mutants: [mutant] }]))).toEqual([entry])
    expect(() => readAccepted(JSON.stringify([{ file, reason: ' ', mutants: [mutant] }]))).toThrow(
      'A survivor of src/a.ts is listed without a reason.',
    )
  })

  test('Entries for files that were not mutated are not stale', () => {
    expect(compare([], [entry], ['src/b.ts']).stale).toEqual([])
  })
})

test('The score is printed by folder and in total, and never rounded up', () => {
  const mutants = [1, 2, 3].map((id) => ({ id, file: id < 3 ? 'src/a/x.ts' : 'src/b/y.ts' }) as Mutant)
  expect(scores(mutants, new Set([1, 3])).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'src/a 1 of 2 killed 50.0 %',
    'src/b 1 of 1 killed 100.0 %',
    'in total 2 of 3 killed 66.6 %',
  ])
})

test('The tests that load the file are tried, the nearest first', () => {
  expect(distanceOf('src/a/b.test.ts', 'src/a/b.ts')).toBe(0)
  for (const own of ['src/a/b-lists.test.ts', 'src/a/b.properties.test.ts'])
    expect(distanceOf(own, 'src/a/b.ts')).toBe(0.25)
  expect(distanceOf('src/a/c.test.ts', 'src/a/b.ts')).toBe(1)
  expect(distanceOf('src/d/c.test.ts', 'src/a/b.ts')).toBeGreaterThan(1)
  expect(loadedBy('packages/operator/src/ingress/consent.test.ts')).toContain(
    'packages/operator/src/ingress/consent.ts',
  )
  // It follows an import of types from a package.
  expect(loadedBy('packages/kube/src/objects/label-selector.ts')).not.toContain(
    'packages/kube/src/objects/objects.ts',
  )
  expect(loadedBy('packages/operator/src/addresses/shard.ts')).toContain(
    'packages/kube/src/objects/label-selector.ts',
  )
  const tests = [
    'packages/kube/src/queue/fifo.test.ts',
    'packages/operator/src/ingress/decide.test.ts',
    'packages/operator/src/ingress/consent.test.ts',
  ]
  expect(testsOf(['packages/operator/src/ingress/consent.ts'], tests)).toEqual([
    'packages/operator/src/ingress/consent.test.ts',
    'packages/operator/src/ingress/decide.test.ts',
  ])
})
