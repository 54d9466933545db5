import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  childrenOf,
  formatIdentity,
  isRunning,
  killProcess,
  type ProcessIdentity,
  parseIdentity,
  processIdentity,
} from './process-identity.ts'

beforeEach(({ skip }) => {
  if (process.platform !== 'linux') skip('Processes are read from /proc, which Linux has.')
})

async function aProcess() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill('SIGKILL'))
  const identity = processIdentity(child.pid ?? 0)
  if (identity === undefined) throw new Error('The process is not there.')
  return { child, identity }
}

test('A process is known by its number and its start, also after both were text', async () => {
  const { identity } = await aProcess()
  expect(isRunning(identity)).toBe(true)
  expect(parseIdentity(formatIdentity(identity))).toEqual(identity)
  expect(childrenOf(process.pid)).toContainEqual(identity)
})

test('A process that has ended is not running', async () => {
  const { child, identity } = await aProcess()
  const ended = once(child, 'exit')
  expect(killProcess(identity)).toBe(true)
  await ended
  expect(isRunning(identity)).toBe(false)
  expect(killProcess(identity)).toBe(false)
})

test('A process that has the number of an earlier one is left alone', async () => {
  const { identity } = await aProcess()
  const earlier: ProcessIdentity = { ...identity, start: identity.start - 1 }
  expect(isRunning(earlier)).toBe(false)
  expect(killProcess(earlier)).toBe(false)
  expect(isRunning(identity)).toBe(true)
})

test.each(['', '0-5', '12', '12-', '-12-5', '12-5-6', ' 12-5', '12-5\n', 'NaN-5'])(
  '"%s" is no process',
  (text) => {
    expect(parseIdentity(text)).toBeUndefined()
  },
)
