import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMetrics } from '../metrics.ts'
import type { Key } from '../objects/objects.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { backoff, halfChance } from '../testing/work-queue.ts'
import { WorkQueue, type WorkQueueOptions } from './queue.ts'

const keys = ['a', 'b', 'c', 'd']

it('The queue does what the simplest queue would do, at the same times, whatever the history', async () => {
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

it.each(fairness)('No two workers ever have one key%s, whatever the history', async (_, fairBy) => {
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

it.each(fairness)('Every add is followed by a take of its key%s, whatever the history', async (_, fairBy) => {
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
