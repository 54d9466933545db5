import { expect, test } from 'vitest'
import { commandIO } from './command-io.ts'

const aProcess = (isTTY: boolean, env: Record<string, string> = {}) =>
  ({
    stdin: { isTTY },
    stdout: { isTTY, write: () => true, columns: 80 },
    stderr: {},
    env,
  }) as unknown as NodeJS.Process

test('colours are for terminals, and never where NO_COLOR says so', () => {
  expect(commandIO(aProcess(true)).colours).toBe(true)
  expect(commandIO(aProcess(false)).colours).toBe(false)
  expect(commandIO(aProcess(true, { NO_COLOR: '1' })).colours).toBe(false)
  expect(commandIO(aProcess(true, { NO_COLOR: '' })).colours).toBe(true)
  expect(commandIO(aProcess(true, { TERM: 'dumb' })).colours).toBe(false)
})

test('nobody is asked where there is no terminal', () => {
  expect(commandIO(aProcess(false)).ask).toBeUndefined()
  expect(commandIO(aProcess(true)).ask).toBeDefined()
})

test('the screen is cleared on a terminal only', () => {
  const shown: string[] = []
  commandIO(aProcess(true), (text) => shown.push(text)).redraw('a')
  commandIO(aProcess(false), (text) => shown.push(text)).redraw('a')
  expect(shown).toEqual(['\u001b[H\u001b[2Ja', 'a'])
})

test('in a pipe progress is a line whenever it is another', () => {
  const shown: string[] = []
  const world = commandIO(aProcess(false), (text) => shown.push(text))
  for (const text of ['a', 'a', 'b']) world.progress(text, 1000)
  world.endProgress()
  expect(shown).toEqual(['a', 'b'])
})
