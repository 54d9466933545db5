import { getMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import { forManyListeners } from './many-listeners.ts'

test('as many may wait on it as like', () => {
  const { signal } = new AbortController()
  expect(getMaxListeners(forManyListeners(signal))).toBe(0)
})
