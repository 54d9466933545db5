import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { onAbort, unlimitedListeners } from './abort.ts'

test('Every listener gets the reason of the abort once, and a listener that was removed gets none', () => {
  const controller = new AbortController()
  const calls: string[] = []
  onAbort(controller.signal, (reason) => calls.push(`first: ${reason.message}`))
  const leave = onAbort(controller.signal, () => calls.push('second'))
  onAbort(controller.signal, (reason) => calls.push(`third: ${reason.message}`))
  leave()
  controller.abort(new Error('over'))
  controller.abort(new Error('again'))
  expect(calls).toEqual(['first: over', 'third: over'])
})

test('The signal has one listener however many wait on it, and none when all of them are gone', () => {
  const { signal } = new AbortController()
  const leave = Array.from({ length: 100 }, () => onAbort(signal, () => {}))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  for (const each of leave) each()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('A listener that is removed while others are being called is not called', () => {
  const controller = new AbortController()
  const calls: string[] = []
  onAbort(controller.signal, () => leave())
  const leave = onAbort(controller.signal, () => calls.push('left'))
  controller.abort(new Error('over'))
  expect(calls).toEqual([])
})

test('An unlimited signal has many listeners without a warning of Node about a leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  const signal = unlimitedListeners(new AbortController().signal)
  for (let count = 0; count < 50; count++) signal.addEventListener('abort', () => {})
  await pause(0)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
