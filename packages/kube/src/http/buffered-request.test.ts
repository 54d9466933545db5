import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { BufferedRequest } from './buffered-request.ts'

test('A request that is aborted before it begins leaves no timer, and no listener on its other signals', async () => {
  const clock = new VirtualClock()
  const { signal } = new AbortController()
  const signals = [AbortSignal.abort(new Error('told to stop')), signal]
  const exchange = new BufferedRequest(
    { method: 'GET', path: '/', headers: {}, timeoutMs: 1000, signals },
    clock,
  )
  await expect(exchange.response).rejects.toThrow('told to stop')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(clock.pendingTimers).toBe(0)
})
