import { VirtualClock } from '@portcullis/kube/testing'
import { expect, test } from 'vitest'
import { progressOn } from './progress.ts'

test('In a log, each step is a line of its own, with the time since the first step', async () => {
  const log: string[] = []
  const clock = new VirtualClock()
  const progress = progressOn({ write: (text) => log.push(text) }, clock)
  progress.step('looking up names')
  await clock.advance(2000)
  progress.step('looking up names')
  progress.step('connecting')
  progress.done()
  progress.step('connecting')
  expect(log).toEqual(['[0 s] looking up names\n', '[2 s] connecting\n', '[0 s] connecting\n'])
})

test('On a terminal, the running step is one line, which stays with a tick when the step is done', () => {
  const { screen, progress } = onTerminal()
  progress.step('looking up names')
  progress.step('looking up names')
  progress.done()
  progress.done()
  expect(screen.join('')).toBe('\r\u001b[K⠙ looking up names … 0 s\r\u001b[K✓ looking up names (0 s)\n')
})

test('On a terminal, a step that is cleared disappears', () => {
  const { screen, progress } = onTerminal()
  progress.step('connecting')
  progress.clear()
  progress.done()
  expect(screen.join('')).toBe('\r\u001b[K⠙ connecting … 0 s\r\u001b[K')
})

test('A step that is longer than the terminal is wide is cut to one line', () => {
  const { screen, progress } = onTerminal(40)
  progress.step('x'.repeat(100))
  progress.clear()
  expect(screen[0]).toHaveLength('\r\u001b[K'.length + 39)
})

function onTerminal(columns = 80) {
  const screen: string[] = []
  const stream = { isTTY: true, columns, write: (text: string) => screen.push(text) }
  return { screen, progress: progressOn(stream, new VirtualClock()) }
}
