import type { ConfigMap } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { Persisted } from '../objects/objects.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { Cache } from './cache.ts'
import { waitForCache } from './expectations.ts'

const aMap = (resourceVersion: string, uid = 'u'): Persisted<ConfigMap> => ({
  metadata: { namespace: 'ns', name: 'map', uid, resourceVersion },
})

function waiting(written: Persisted<ConfigMap>, present: readonly Persisted<ConfigMap>[] = []) {
  const clock = new VirtualClock()
  const store = new Cache<ConfigMap>({ name: 'ConfigMap', log: silentLogger, metrics: createMetrics('test') })
  for (const object of present) store.apply(object)
  const state = { done: false }
  void waitForCache(store, written, clock).then(() => {
    state.done = true
  })
  return { clock, store, state }
}

it('A wait for the cache lasts until it has the write, or something newer', async () => {
  const { clock, store, state } = waiting(aMap('10'))
  store.apply(aMap('9'))
  await settle()
  expect(state.done).toBe(false)
  store.apply(aMap('11'))
  await settle()
  expect([state.done, clock.pendingTimers]).toEqual([true, 0])
})

it('A wait for the cache does not last for an object that is gone again', async () => {
  const { store, state } = waiting(aMap('10'))
  store.apply(aMap('9'))
  store.delete(aMap('12'))
  await settle()
  expect(state.done).toBe(true)
})

it('A wait for the cache ends on a cache without changes', async () => {
  const { clock, state } = waiting(aMap('10'))
  await clock.advance(5_000)
  expect(state.done).toBe(true)
})

it('A write that removes the last finalizer is seen once the object is gone, however early that is', async () => {
  const going = { metadata: { ...aMap('10').metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }
  expect(await isDone(waiting(going))).toBe(true)

  const seenLater = waiting(going, [aMap('10')])
  expect(await isDone(seenLater)).toBe(false)
  seenLater.store.delete(aMap('11'))
  expect(await isDone(seenLater)).toBe(true)
})

async function isDone({ state }: { readonly state: { readonly done: boolean } }): Promise<boolean> {
  await settle()
  return state.done
}
