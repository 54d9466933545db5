import { EventEmitter } from 'node:events'
import { getActiveResourcesInfo } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../log.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import type { ProcessTable } from './npm-parents.ts'
import { stopOnSignals } from './signals.ts'

class FakeProcess extends EventEmitter {
  readonly exits: number[] = []
  readonly stdout = new EventEmitter()
  readonly platform = 'linux'
  readonly pid = 8
  env: Record<string, string> = {}
  ppid = 7
  exit(code: number): void {
    this.exits.push(code)
  }
}

const noProcesses: ProcessTable = { find: () => undefined, isAlive: () => false }

const livingNpm: ProcessTable = {
  find: () => ({ parent: 1, command: 'npm', group: 7, stdin: undefined }),
  isAlive: () => true,
}

function listening(process = new FakeProcess(), table = noProcesses) {
  const clock = new VirtualClock()
  return { process, clock, ...stopOnSignals(process, silentLogger, { clock, table }) }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'A first %s asks for an orderly stop; any second one ends the process at once',
  async (signal) => {
    const { process, clock, stop } = listening()
    expect(stop.aborted).toBe(false)
    process.emit(signal)
    expect(stop.aborted).toBe(true)
    expect(process.exits).toEqual([])
    await clock.advance(1000)
    process.emit('SIGINT')
    expect(process.exits).toEqual([130])
  },
)

test('A Ctrl-C that both the terminal and npm send counts once', () => {
  const { process, stop } = listening()
  process.emit('SIGINT')
  process.emit('SIGINT')
  expect(stop.aborted).toBe(true)
  expect(process.exits).toEqual([])
})

const brokenPipe = new Error('write EPIPE')

test('A closed standard output asks for an orderly stop, and never for an immediate one', async () => {
  const { process, clock, stop } = listening()
  process.stdout.emit('error', brokenPipe)
  expect(stop.aborted).toBe(true)
  process.stdout.emit('error', brokenPipe)
  process.emit('SIGTERM')
  expect(process.exits).toEqual([])
  await clock.advance(1000)
  process.emit('SIGTERM')
  expect(process.exits).toEqual([130])
})

test('A closed standard output does not count as a second signal', () => {
  const { process } = listening()
  process.emit('SIGINT')
  process.stdout.emit('error', brokenPipe)
  expect(process.exits).toEqual([])
})

test('The end of npm asks for an orderly stop, and never for an immediate one', async () => {
  const process = new FakeProcess()
  process.env = { npm_execpath: '/npm-cli.js' }
  const alive = new Set([7])
  const table = { ...livingNpm, isAlive: (pid: number) => alive.has(pid) }
  const { clock, stop } = listening(process, table)
  await clock.advance(60_000)
  expect(stop.aborted).toBe(false)
  alive.clear()
  await clock.advance(1000)
  expect(stop.aborted).toBe(true)
  process.emit('SIGTERM')
  expect(process.exits).toEqual([])
})

test('A release removes the signal handlers and stops watching npm', () => {
  const process = new FakeProcess()
  process.env = { npm_execpath: '/npm-cli.js' }
  const { clock, release } = listening(process, livingNpm)
  expect(clock.pendingTimers).toBe(1)
  release()
  expect(process.eventNames()).toEqual([])
  expect(process.stdout.eventNames()).toEqual([])
  expect(clock.pendingTimers).toBe(0)
})

test('Watching npm does not keep a process alive that is done', () => {
  const process = new FakeProcess()
  process.env = { npm_execpath: '/npm-cli.js' }
  const timers = () => getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { release } = stopOnSignals(process, silentLogger, { table: livingNpm })
  onTestFinished(release)
  expect(timers()).toBe(before)
})
