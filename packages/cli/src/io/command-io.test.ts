import { expect, test } from 'vitest'
import { commandIO } from './command-io.ts'

const aProcess = (isTTY: boolean, env: Record<string, string> = {}, written: string[] = []) =>
  ({
    stdin: { isTTY },
    stdout: { isTTY, write: (text: string) => written.push(text), columns: 80 },
    stderr: {},
    env,
  }) as unknown as NodeJS.Process

test('The result has colours on a terminal only, and never with NO_COLOR or TERM=dumb', () => {
  expect(commandIO(aProcess(true)).colours).toBe(true)
  expect(commandIO(aProcess(false)).colours).toBe(false)
  expect(commandIO(aProcess(true, { NO_COLOR: '1' })).colours).toBe(false)
  expect(commandIO(aProcess(true, { NO_COLOR: '' })).colours).toBe(true)
  expect(commandIO(aProcess(true, { TERM: 'dumb' })).colours).toBe(false)
})

test('A command cannot ask a question without a terminal', () => {
  expect(commandIO(aProcess(false)).ask).toBeUndefined()
  expect(commandIO(aProcess(true)).ask).toBeDefined()
})

test('A redraw clears the screen on a terminal only', () => {
  const shown: string[] = []
  for (const isTTY of [true, false]) commandIO(aProcess(isTTY, {}, shown)).redraw('a')
  expect(shown).toEqual(['\u001b[H\u001b[2Ja\n', 'a\n'])
})
