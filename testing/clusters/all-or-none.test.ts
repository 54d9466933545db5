import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { allOrNone } from './all-or-none.ts'

test('What several starts result in comes in their order', async () => {
  const results = await allOrNone(undefined, [() => pause(5, 'slow'), () => Promise.resolve(2)])
  expect(results).toEqual(['slow', 2])
})

test('The first failure ends the other starts, and is reported once none of them is at work', async () => {
  let atWork = true
  const other = async (signal: AbortSignal) => {
    await pause(20_000, undefined, { signal }).catch(() => {})
    await pause(5)
    atWork = false
  }
  const failing = () => Promise.reject(new Error('Port 1 is taken.'))
  await expect(allOrNone(undefined, [other, failing])).rejects.toThrow('Port 1 is taken.')
  expect(atWork).toBe(false)
})

test('An interruption reaches every start', async () => {
  const interrupted = new AbortController()
  const starting = allOrNone(interrupted.signal, [
    (signal) => pause(20_000, undefined, { signal }),
    (signal) => pause(20_000, undefined, { signal }),
  ])
  interrupted.abort()
  await expect(starting).rejects.toThrow('aborted')
})
