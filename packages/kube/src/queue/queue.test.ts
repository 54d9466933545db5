// Longer than 350 lines: the examples and the comparison with a model of the queue belong together.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Backoff } from '../backoff.ts'
import { createMetrics } from '../metrics.ts'
import { type Key, namespaceOf } from '../objects/objects.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { WorkQueue, type WorkQueueOptions } from './queue.ts'

/** Powers of two: the arithmetic of times is exact, so that times can be compared for equality. */
const backoff: Backoff = { baseMs: 64, maxMs: 1024, jitter: 0.25 }
const halfChance = () => 0.5
const keys = ['a', 'b', 'c', 'd']

function aQueue({ random = halfChance, ...more }: Partial<WorkQueueOptions> = {}) {
  const clock = new VirtualClock()
  const metrics = createMetrics('test')
  return { clock, metrics, queue: new WorkQueue({ name: 'test', clock, random, backoff, metrics, ...more }) }
}

describe('a key', () => {
  it('waits once, however often it is added', async () => {
    const { queue } = aQueue()
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
    expect(queue.depth).toBe(2)
    expect([await queue.take(), await queue.take()]).toEqual(['a', 'b'])
  })

  it('is taken once after a burst of changes, even by a worker that had been waiting', async () => {
    const { queue } = aQueue()
    const taking = queue.take()
    queue.add('a')
    queue.add('a')
    expect(await taking).toBe('a')
    queue.done('a')
    expect(queue.depth).toBe(0)
  })

  it('that is added while a worker has it is ready again when that worker is done', async () => {
    const { queue } = aQueue()
    queue.add('a')
    await queue.take()
    queue.add('a')
    expect(queue.depth).toBe(0)
    queue.done('a')
    expect(await queue.take()).toBe('a')
  })

  it('that backs off is ready at once after a change, and its failures still count', async () => {
    const { queue } = aQueue()
    queue.retry('a')
    expect(queue.depth).toBe(0)
    queue.add('a')
    expect(queue.depth).toBe(1)
    expect(queue.retries('a')).toBe(1)
  })

  it('loses its delay when it is taken, but not one that is set later', async () => {
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

  it('cannot be given back by a worker that has not taken it, nor be delayed for ever', () => {
    const { queue } = aQueue()
    queue.add('a')
    expect(() => queue.done('a')).toThrow('a is not taken from the queue test')
    expect(() => queue.addAfter('a', Number.NaN)).toThrow('a cannot be added after NaN ms')
    expect(() => queue.addAfter('a', Number.POSITIVE_INFINITY)).toThrow(RangeError)
  })
})

describe('a queue that is fair', () => {
  const fairBy = namespaceOf

  it('takes the key of another namespace next, however many of one namespace wait', async () => {
    const { queue } = aQueue({ fairBy })
    for (let number = 0; number < 10_000; number++) queue.add(`flood/${number}`)
    queue.add('tenant/web')
    expect([await queue.take(), await queue.take()]).toEqual(['flood/0', 'tenant/web'])
  })

  it('lets a namespace wait no longer for its own keys, where no other has any', async () => {
    const { queue } = aQueue({ fairBy })
    for (const key of ['a/1', 'a/2', 'a/1', 'a/3']) queue.add(key)
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a/1', 'a/2', 'a/3'])
  })

  it('reports the age of the key that has waited longest, whichever is next', async () => {
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
})

describe('the back-off of the queue', () => {
  it('doubles a key’s delay up to the maximum, less the jitter, until it is forgotten', () => {
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

  it('of one key is no other’s', () => {
    const { queue } = aQueue()
    for (let i = 0; i < 5; i++) queue.retry('a')
    expect(queue.retry('b')).toBe(56)
    expect([queue.retries('a'), queue.retries('b'), queue.retries('c')]).toEqual([5, 1, 0])
  })

  it('begins anew when a key that was long out of date fails, and the other way round', () => {
    const { queue } = aQueue()
    for (let i = 0; i < 5; i++) queue.retry('a', 'outdated')
    expect(queue.retries('a', 'outdated')).toBe(5)
    expect(queue.retry('a')).toBe(56)
    expect(queue.retry('a')).toBe(112)
    expect(queue.retry('a', 'outdated')).toBe(56)
  })
})

describe('the metrics', () => {
  it('show depth and age at the time of the scrape, and nothing once the queue is closed', async () => {
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

  it('count adds, retries and the time waited', async () => {
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
})

describe('a closed queue', () => {
  it('returns undefined to every worker and has nothing left to do', async () => {
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
})

describe('whatever the history', () => {
  it('the queue does what the simplest queue would do, at the same times', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const played = new PlayedQueue()
        const model = new ModelQueue()
        for (const step of history) {
          await played.play(step)
          model.play(step)
          expect(played.state()).toEqual(model.state())
        }
        played.close()
        expect(played.clock.pendingTimers).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  const fairness = [
    ['', undefined],
    [', of a fair queue', (key: Key) => (key < 'c' ? 'one' : 'other')],
  ] as const

  it.each(fairness)('no two workers ever have one key%s', async (_, fairBy) => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const played = new PlayedQueue(fairBy)
        for (const step of history) {
          await played.play(step)
          expect(new Set(played.held).size).toBe(played.held.length)
        }
        played.close()
      }),
    )
  })

  it.each(fairness)('every add is followed by a take of its key%s', async (_, fairBy) => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const played = new PlayedQueue(fairBy)
        const lastAdd = new Map<Key, number>()
        for (const step of history) {
          if (step.do === 'add') lastAdd.set(step.key, played.taken.length)
          await played.play(step)
        }
        await played.drain()
        for (const [key, takenBefore] of lastAdd) {
          expect(played.taken.slice(takenBefore).map((take) => take.key)).toContain(key)
        }
        played.close()
      }),
    )
  })
})

type Step =
  | { readonly do: 'add' | 'retry' | 'forget'; readonly key: Key }
  | { readonly do: 'addAfter'; readonly key: Key; readonly ms: number }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly nth: number }
  | { readonly do: 'advance'; readonly ms: number }

const anyKey = fc.constantFrom(...keys)
const anyHistory: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key: anyKey }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), nth: fc.nat(3) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('addAfter' as const), key: anyKey, ms: fc.nat(300) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), key: anyKey }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key: anyKey }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(200) }) },
  ),
  { maxLength: 60 },
)

/** The real queue, played step by step. */
class PlayedQueue {
  readonly clock = new VirtualClock()
  readonly #queue: WorkQueue
  readonly taken: { key: Key; at: number }[] = []
  readonly held: Key[] = []

  constructor(fairBy?: WorkQueueOptions['fairBy']) {
    this.#queue = new WorkQueue({
      name: 'test',
      clock: this.clock,
      random: halfChance,
      backoff,
      metrics: createMetrics('test'),
      ...(fairBy && { fairBy }),
    })
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
      case 'retry':
      case 'forget':
        this.#queue[step.do](step.key)
        break
      case 'addAfter':
        this.#queue.addAfter(step.key, step.ms)
        break
      case 'take':
        void this.#take()
        break
      case 'done':
        for (const key of this.held.splice(step.nth, 1)) this.#queue.done(key)
        break
      case 'advance':
        await this.clock.advance(step.ms)
        break
    }
    await settle()
  }

  /** Works off all that is ready. */
  async drain(): Promise<void> {
    while (this.held.length > 0 || this.#queue.depth > 0) {
      if (this.#queue.depth > 0) await this.play({ do: 'take' })
      await this.play({ do: 'done', nth: 0 })
    }
  }

  close(): void {
    this.#queue.close()
  }

  state() {
    return {
      taken: this.taken,
      held: this.held,
      depth: this.#queue.depth,
      oldestAgeMs: this.#queue.oldestAgeMs,
      failures: keys.map((key) => this.#queue.retries(key)),
    }
  }

  async #take(): Promise<void> {
    const key = await this.#queue.take()
    if (key === undefined) return
    this.taken.push({ key, at: this.clock.monotonic() })
    this.held.push(key)
  }
}

/** What the queue promises, in the simplest words: lists that are searched. */
class ModelQueue {
  #now = 0
  #ready: { key: Key; since: number }[] = []
  #delayed: { key: Key; at: number }[] = []
  #addedWhileHeld: Key[] = []
  readonly #failures: Record<Key, number> = {}
  #takers = 0
  readonly #taken: { key: Key; at: number }[] = []
  readonly #held: Key[] = []

  play(step: Step): void {
    switch (step.do) {
      case 'add':
        this.#add(step.key)
        break
      case 'retry':
        this.#retry(step.key)
        break
      case 'forget':
        delete this.#failures[step.key]
        break
      case 'addAfter':
        this.#addAfter(step.key, step.ms)
        break
      case 'take':
        this.#takers++
        break
      case 'done':
        for (const key of this.#held.splice(step.nth, 1)) this.#done(key)
        break
      case 'advance':
        this.#advance(step.ms)
        break
    }
    this.#serve()
  }

  state() {
    const first = this.#ready[0]
    return {
      taken: this.#taken,
      held: this.#held,
      depth: this.#ready.length,
      oldestAgeMs: first === undefined ? 0 : this.#now - first.since,
      failures: keys.map((key) => this.#failures[key] ?? 0),
    }
  }

  #add(key: Key): void {
    if (this.#held.includes(key)) this.#addedWhileHeld.push(key)
    else if (!this.#ready.some((ready) => ready.key === key)) this.#ready.push({ key, since: this.#now })
    this.#serve()
  }

  #addAfter(key: Key, ms: number): void {
    if (ms === 0) this.#add(key)
    else {
      const at = this.#now + ms
      if (this.#delayed.some((delayed) => delayed.key === key && delayed.at <= at)) return
      this.#delayed = [...this.#delayed.filter((delayed) => delayed.key !== key), { key, at }]
    }
  }

  #retry(key: Key): void {
    const failures = (this.#failures[key] ?? 0) + 1
    this.#failures[key] = failures
    const longest = [64, 128, 256, 512][failures - 1] ?? 1024
    this.#addAfter(key, longest - longest / 8)
  }

  #done(key: Key): void {
    const again = this.#addedWhileHeld.includes(key)
    this.#addedWhileHeld = this.#addedWhileHeld.filter((added) => added !== key)
    if (again) this.#add(key)
  }

  #advance(ms: number): void {
    const end = this.#now + ms
    const due = this.#delayed.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
    for (const { key, at } of due) {
      // It may have been taken, and so dropped, on the way.
      if (!this.#delayed.some((delayed) => delayed.key === key)) continue
      this.#now = at
      this.#delayed = this.#delayed.filter((delayed) => delayed.key !== key)
      this.#add(key)
    }
    this.#now = end
  }

  #serve(): void {
    while (this.#takers > 0) {
      const first = this.#ready.shift()
      if (first === undefined) return
      this.#takers--
      this.#delayed = this.#delayed.filter(({ key }) => key !== first.key)
      this.#taken.push({ key: first.key, at: this.#now })
      this.#held.push(first.key)
    }
  }
}
