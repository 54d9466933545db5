import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { forManyListeners } from './many-listeners.ts'

test('Node takes many who wait for no leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  const signal = forManyListeners(new AbortController().signal)
  for (let count = 0; count < 50; count++) signal.addEventListener('abort', () => {})
  await pause(0)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
