import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { silentLogger } from './log.ts'
import { stopOnSignals } from './signals.ts'

class FakeProcess extends EventEmitter {
  readonly exits: number[] = []
  readonly stdout = new EventEmitter()
  exit(code: number): void {
    this.exits.push(code)
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a first %s asks for an orderly stop; any second one ends at once',
  (signal) => {
    const process = new FakeProcess()
    const { stop } = stopOnSignals(process, silentLogger)
    expect(stop.aborted).toBe(false)
    process.emit(signal)
    expect(stop.aborted).toBe(true)
    expect(process.exits).toEqual([])
    process.emit('SIGINT')
    expect(process.exits).toEqual([130])
  },
)

const brokenPipe = new Error('write EPIPE')

test('when nobody reads along any more, that asks for an orderly stop, and never for haste', () => {
  const process = new FakeProcess()
  const { stop } = stopOnSignals(process, silentLogger)
  process.stdout.emit('error', brokenPipe)
  expect(stop.aborted).toBe(true)
  process.stdout.emit('error', brokenPipe)
  process.emit('SIGTERM')
  expect(process.exits).toEqual([])
  process.emit('SIGTERM')
  expect(process.exits).toEqual([130])
})

test('that a reader ends too does not count as a second signal', () => {
  const process = new FakeProcess()
  stopOnSignals(process, silentLogger)
  process.emit('SIGINT')
  process.stdout.emit('error', brokenPipe)
  expect(process.exits).toEqual([])
})

test('signals are given back', () => {
  const process = new FakeProcess()
  stopOnSignals(process, silentLogger).release()
  expect(process.eventNames()).toEqual([])
  expect(process.stdout.eventNames()).toEqual([])
})
