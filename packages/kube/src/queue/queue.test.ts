import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { namespaceOf } from '../objects/objects.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { backoff, halfChance } from '../testing/work-queue.ts'
import { WorkQueue, type WorkQueueOptions } from './queue.ts'

function aQueue({ random = halfChance, ...more }: Partial<WorkQueueOptions> = {}) {
  const clock = new VirtualClock()
  const metrics = createMetrics('test')
  return { clock, metrics, queue: new WorkQueue({ name: 'test', clock, random, backoff, metrics, ...more }) }
}

it('A key waits once, however often it is added', async () => {
  const { queue } = aQueue()
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
  expect(queue.depth).toBe(2)
  expect([await queue.take(), await queue.take()]).toEqual(['a', 'b'])
})

it('A key is taken once after a burst of changes, even by a worker that had been waiting', async () => {
  const { queue } = aQueue()
  const taking = queue.take()
  queue.add('a')
  queue.add('a')
  expect(await taking).toBe('a')
  queue.done('a')
  expect(queue.depth).toBe(0)
})

it('A key that is added while a worker has it is ready again when that worker is done', async () => {
  const { queue } = aQueue()
  queue.add('a')
  await queue.take()
  queue.add('a')
  expect(queue.depth).toBe(0)
  queue.done('a')
  expect(await queue.take()).toBe('a')
})

it('A key that backs off is ready at once after a change, and its failures still count', async () => {
  const { queue } = aQueue()
  queue.retry('a')
  expect(queue.depth).toBe(0)
  queue.add('a')
  expect(queue.depth).toBe(1)
  expect(queue.retries('a')).toBe(1)
})

it('A key loses its delay when it is taken, but not one that is set later', async () => {
  const { queue, clock } = aQueue()
  queue.addAfter('a', 10)
  queue.add('a')
  await queue.take()
  queue.addAfter('a', 100)
  queue.done('a')
  await clock.advance(99)
  expect(queue.depth).toBe(0)
  await clock.advance(1)
  expect(queue.depth).toBe(1)
})

it('A key cannot be given back by a worker that has not taken it, nor be delayed for ever', () => {
  const { queue } = aQueue()
  queue.add('a')
  expect(() => queue.done('a')).toThrow('a is not taken from the queue test')
  expect(() => queue.addAfter('a', Number.NaN)).toThrow('a cannot be added after NaN ms')
  expect(() => queue.addAfter('a', Number.POSITIVE_INFINITY)).toThrow(RangeError)
})

const fairBy = namespaceOf

it('A fair queue takes the key of another namespace next, however many of one namespace wait', async () => {
  const { queue } = aQueue({ fairBy })
  for (let number = 0; number < 10_000; number++) queue.add(`flood/${number}`)
  queue.add('tenant/web')
  expect([await queue.take(), await queue.take()]).toEqual(['flood/0', 'tenant/web'])
})

it('A fair queue lets a namespace wait no longer for its own keys, where no other has any', async () => {
  const { queue } = aQueue({ fairBy })
  for (const key of ['a/1', 'a/2', 'a/1', 'a/3']) queue.add(key)
  expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a/1', 'a/2', 'a/3'])
})

it('A fair queue reports the age of the key that has waited longest, whichever is next', async () => {
  const { queue, clock } = aQueue({ fairBy })
  for (const key of ['flood/1', 'flood/2', 'flood/3']) queue.add(key)
  await clock.advance(1000)
  queue.add('tenant/web')
  await queue.take()
  expect(queue.oldestAgeMs).toBe(1000)
  await queue.take()
  await queue.take()
  await clock.advance(500)
  expect(queue.oldestAgeMs).toBe(1500)
})

it('The back-off of the queue doubles a key’s delay up to the maximum, less the jitter, until it is forgotten', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }),
      (chances) => {
        let drawn = 0
        const { queue } = aQueue({ random: () => chances[drawn++] ?? 0 })
        const expectDelay = (longest: number) => {
          const delay = queue.retry('a')
          expect(delay).toBeLessThanOrEqual(longest)
          expect(delay).toBeGreaterThanOrEqual(longest * 0.75)
        }
        chances.forEach((_, i) => expectDelay(Math.min(1024, 64 * 2 ** i)))
        queue.forget('a')
        expectDelay(64)
        queue.close()
      },
    ),
  )
})

it('The back-off of one key is no other’s', () => {
  const { queue } = aQueue()
  for (let i = 0; i < 5; i++) queue.retry('a')
  expect(queue.retry('b')).toBe(56)
  expect([queue.retries('a'), queue.retries('b'), queue.retries('c')]).toEqual([5, 1, 0])
})

it('The back-off begins anew when a key that was long out of date fails, and the other way round', () => {
  const { queue } = aQueue()
  for (let i = 0; i < 5; i++) queue.retry('a', 'outdated')
  expect(queue.retries('a', 'outdated')).toBe(5)
  expect(queue.retry('a')).toBe(56)
  expect(queue.retry('a')).toBe(112)
  expect(queue.retry('a', 'outdated')).toBe(56)
})

it('The metrics of a queue show depth and age at the time of the scrape, and nothing once the queue is closed', async () => {
  const { queue, clock, metrics } = aQueue()
  const scraped = async (name: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`test_${name}{`))
  queue.add('a')
  await clock.advance(2000)
  queue.add('b')
  await clock.advance(500)
  expect(await scraped('queue_depth')).toEqual(['test_queue_depth{queue="test"} 2'])
  expect(await scraped('queue_oldest_seconds')).toEqual(['test_queue_oldest_seconds{queue="test"} 2.5'])
  await queue.take()
  expect(await scraped('queue_oldest_seconds')).toEqual(['test_queue_oldest_seconds{queue="test"} 0.5'])
  queue.close()
  expect(await scraped('queue_depth')).toEqual([])
  expect(await scraped('queue_oldest_seconds')).toEqual([])
})

it('The metrics of a queue count adds, retries and the time waited', async () => {
  const { queue, clock, metrics } = aQueue()
  for (const key of ['a', 'a', 'b']) queue.add(key)
  await clock.advance(3000)
  await queue.take()
  queue.retry('a')
  const value = async (name: string) =>
    (await metrics.registry.metrics()).match(new RegExp(`^test_${name}{queue="test"} (.*)$`, 'm'))?.[1]
  expect(await value('queue_adds_total')).toBe('2')
  expect(await value('queue_retries_total')).toBe('1')
  expect(await value('queue_wait_seconds_sum')).toBe('3')
  expect(await value('queue_wait_seconds_count')).toBe('1')
})

it('A closed queue returns undefined to every worker and has nothing left to do', async () => {
  const { queue, clock } = aQueue()
  const takers = [queue.take(), queue.take()]
  queue.addAfter('a', 10)
  queue.close()
  queue.close()
  expect(await Promise.all([...takers, queue.take()])).toEqual([undefined, undefined, undefined])
  queue.add('a')
  queue.addAfter('b', 10)
  queue.done('c')
  expect(queue.retry('d')).toBeUndefined()
  expect([queue.depth, clock.pendingTimers]).toEqual([0, 0])
})
