import { describe, expect, test } from 'vitest'
import { expressionsIn, slowExpressions } from '../../scripts/regular-expressions.ts'

const problemsOf = (code: string) => slowExpressions(expressionsIn('src/x.ts', code), [])

describe('The check of regular expressions', () => {
  test.each([
    String.raw`text.replaceAll(/\s*[\t\n\v\f\r\u2028\u2029]\s*/g, ' ')`,
    String.raw`said.replaceAll(/\s*\n\s*/g, ' ')`,
    String.raw`new RegExp('\\s*\\n\\s*', 'g')`,
    'RegExp(`(a+)+$`)',
  ])('The check finds an expression of more than linear time: %s', async (code) => {
    const [problem, ...others] = await problemsOf(code)
    expect(problem).toMatch(/^src\/x\.ts:1: .* takes more than linear time/)
    expect(others).toEqual([])
  })

  test('The check finds an expression that is put together at run time', async () => {
    expect(await problemsOf('const port = 1\nnew RegExp(`:${port}`)')).toEqual([
      expect.stringMatching(/^src\/x\.ts:2: .* is put together at run time/),
    ])
  })

  test('The check passes linear expressions, and text that only looks like one', async () => {
    expect(await problemsOf(String.raw`/\s+/g; 1 / 2 / 3; '/\\s*\\n\\s*/'; // /\s*\n\s*/`)).toEqual([])
  })

  test('The check refuses an allowance without its expression', async () => {
    const gone = { file: 'src/x.ts', begins: '/gone/', reason: 'once' }
    expect(await slowExpressions(expressionsIn('src/x.ts', '/here/'), [gone])).toEqual([
      'src/x.ts: nothing begins with /gone/: remove it from scripts/allowed-regular-expressions.ts.',
    ])
  })
})
