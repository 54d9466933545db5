// Longer than 350 lines: the examples and the property share the test source, the logger and the held reconcile below.

import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Backoff } from '../backoff.ts'
import { WriteRefusedError } from '../client/errors.ts'
import type { Logger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type Key, keyOf, refOf } from '../objects/objects.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import {
  Controller,
  type Reconcile,
  type RequeueAfter,
  requeueAfter,
  requeueWithBackoff,
} from './controller.ts'
import { type Change, enqueueFrom, type MapFunc, type NamedObject, type Source } from './source.ts'

/** No jitter and powers of two: times can be compared for equality. */
const backoff: Backoff = { baseMs: 64, maxMs: 1024, jitter: 0 }

describe('a controller', () => {
  it('reconciles all that is there, then whatever changes', async () => {
    const { source, started } = await running({ there: ['ns/a', 'ns/b'] })
    expect(started).toEqual(['ns/a', 'ns/b'])
    source.put('ns/c')
    source.remove('ns/a')
    await settle()
    expect(started).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/a'])
  })

  it('reconciles again when the reconcile asks for it, and only then', async () => {
    const answers: (RequeueAfter | undefined)[] = [requeueAfter(1000), undefined]
    const { clock, started } = await running({ there: ['a'], reconcile: async () => answers.shift() })
    await clock.advance(999)
    expect(started).toEqual(['a'])
    await clock.advance(1)
    expect(started).toEqual(['a', 'a'])
    await clock.advance(1_000_000)
    expect(started).toEqual(['a', 'a'])
  })

  it('retries ever later while its reconcile returns requeueWithBackoff, logs nothing, and reconciles at once on a change', async () => {
    const clock = new VirtualClock()
    const at: number[] = []
    let isBehind = true
    const { source, lines } = await running({
      clock,
      there: ['a'],
      reconcile: async () => {
        at.push(clock.monotonic())
        return isBehind ? requeueWithBackoff : undefined
      },
    })
    await clock.advance(64 + 128 + 256)
    expect(at).toEqual([0, 64, 192, 448])
    isBehind = false
    await clock.advance(2)
    source.put('a')
    await clock.advance(1_000_000)
    expect(at.slice(4)).toEqual([450])
    isBehind = true
    source.put('a')
    await clock.advance(64)
    expect(at.slice(5)).toEqual([1_000_450, 1_000_514])
    expect(lines).toEqual([])
  })

  it('does not wait longer after a failure because of earlier requeueWithBackoff', async () => {
    const clock = new VirtualClock()
    const at: number[] = []
    const { source } = await running({
      clock,
      there: ['a'],
      reconcile: async () => {
        at.push(clock.monotonic())
        if (at.length === 5) throw new Error('the API server is busy')
        return at.length < 5 ? requeueWithBackoff : undefined
      },
    })
    await clock.advance(450)
    source.put('a')
    await clock.advance(1_000_000)
    expect(at).toEqual([0, 64, 192, 448, 450, 450 + 64])
  })

  it('reconciles as many keys at once as it has workers', async () => {
    const { started, finish } = await running({ there: ['a', 'b', 'c'], workers: 2, reconcile: 'held' })
    expect(started).toEqual(['a', 'b'])
    await finish('a')
    expect(started).toEqual(['a', 'b', 'c'])
    await Promise.all([finish('b'), finish('c')])
  })

  it('enqueues both owners of an object that moves from one to the other', async () => {
    const { source, started } = await running({ keysOf: ({ owner }) => owner })
    source.put('child', { owner: 'old' })
    await settle()
    started.length = 0
    source.put('child', { owner: 'new' })
    await settle()
    expect(started).toEqual(['old', 'new'])
  })

  it('gives each reconcile the context of the run and a log that names the object', async () => {
    const { lines } = await running({
      there: ['ns/a'],
      reconcile: async (_, { log, extra }) => log.info({ extra }, 'hello'),
    })
    const fields = { controller: 'test', kind: 'Widget', namespace: 'ns', name: 'a', extra: 'given' }
    expect(lines).toEqual([{ level: 'info', message: 'hello', fields }])
  })

  it('counts and times reconciles by result', async () => {
    const clock = new VirtualClock()
    let failures = 1
    const { metrics } = await running({
      clock,
      there: ['a'],
      reconcile: async () => {
        await new Promise<void>((resolve) => clock.after(3000, resolve))
        if (failures-- > 0) throw new Error('no')
      },
    })
    await clock.advance(10_000)
    const scraped = await metrics.registry.metrics()
    expect(scraped).toContain('test_reconciles_total{controller="test",result="error"} 1')
    expect(scraped).toContain('test_reconciles_total{controller="test",result="success"} 1')
    expect(scraped).toContain('test_reconcile_duration_seconds_sum{controller="test"} 6')
  })
})

describe('a reconcile that throws', () => {
  it('backs off its own key alone, twice as long each time, until it succeeds', async () => {
    const clock = new VirtualClock()
    let healed = false
    const at: number[] = []
    const { source, started } = await running({
      clock,
      there: ['bad', 'good'],
      workers: 1,
      reconcile: async (key) => {
        if (key !== 'bad') return
        at.push(clock.monotonic())
        if (!healed) throw new Error('no')
      },
    })
    await clock.advance(64 + 128)
    expect(at).toEqual([0, 64, 192])
    source.put('good')
    await settle()
    expect(started.filter((key) => key === 'good')).toHaveLength(2)

    healed = true
    await clock.advance(256)
    expect(at).toEqual([0, 64, 192, 448])
    await clock.advance(1_000_000)
    expect(at).toHaveLength(4)

    healed = false
    source.put('bad')
    await clock.advance(64)
    expect(at.slice(4)).toEqual([1_000_448, 1_000_512])
  })

  it('is logged once a time, with the name of the object, the attempt and the next try', async () => {
    const error = new Error('the cloud said no')
    const { clock, lines } = await running({ there: ['ns/a'], reconcile: () => Promise.reject(error) })
    await clock.advance(64)
    const fields = { controller: 'test', kind: 'Widget', namespace: 'ns', name: 'a', err: error }
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'Cannot reconcile Widget ns/a (attempt 1, next in 64 ms): the cloud said no',
        fields: { ...fields, attempt: 1, nextTryInMs: 64 },
      },
      {
        level: 'error',
        message: 'Cannot reconcile Widget ns/a (attempt 2, next in 128 ms): the cloud said no',
        fields: { ...fields, attempt: 2, nextTryInMs: 128 },
      },
    ])
  })

  it.each<[string, () => Promise<RequeueAfter | undefined>, string]>([
    [
      'synchronously',
      () => {
        throw new Error('at once')
      },
      'at once',
    ],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
    ['a string', () => Promise.reject('just words'), "'just words'"],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
    ['nothing', () => Promise.reject(), 'undefined'],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
    [
      'what cannot be made a string',
      () => Promise.reject(Object.create(null)),
      '[Object: null prototype] {}',
    ],
    ['by a senseless answer', async () => requeueAfter(Number.NaN), 'a cannot be added after NaN ms'],
  ])('%s is retried with backoff like any error', async (_, reconcile, message) => {
    const { clock, started, lines } = await running({ there: ['a'], workers: 1, reconcile })
    await clock.advance(64)
    expect(started).toEqual(['a', 'a'])
    expect(lines).toHaveLength(2)
    expect(lines[0]?.message).toContain(`Cannot reconcile Widget a (attempt 1, next in 64 ms): ${message}`)
    expect(lines[0]?.fields['err']).toBeInstanceOf(Error)
  })

  it('because writes are refused counts as no error, but is retried should the leadership go on', async () => {
    const { clock, started, lines } = await running({
      there: ['a'],
      reconcile: () => Promise.reject(new WriteRefusedError('no longer leading')),
    })
    await clock.advance(64)
    expect(started).toEqual(['a', 'a'])
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug'])
  })

  it('because the leadership is over counts as no error, and is not retried', async () => {
    const { term, run, clock, lines } = await running({
      there: ['a'],
      reconcile: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    })
    term.abort(new Error('leadership lost'))
    await run
    expect(lines.map(({ level }) => level)).toEqual(['debug'])
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('a map function that throws', () => {
  it('is logged with the name of the object, and later changes are still mapped', async () => {
    const { source, started, lines } = await running({
      keysOf: ({ metadata }) => {
        if (metadata.name === 'odd') throw new Error('cannot map')
        return keyOf(metadata)
      },
    })
    source.put('ns/odd')
    source.put('ns/a')
    await settle()
    expect(started).toEqual(['ns/a'])
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'Cannot tell what to reconcile because of Widget ns/odd: cannot map',
        fields: {
          controller: 'test',
          kind: 'Widget',
          namespace: 'ns',
          name: 'odd',
          err: new Error('cannot map'),
        },
      },
    ])
  })
})

describe('a stopped controller', () => {
  it('finishes what is in flight, takes nothing new and leaves nothing behind', async () => {
    const test = await running({ there: ['a', 'b', 'late'], workers: 2, reconcile: 'held' })
    let ended = false
    void test.run.then(() => (ended = true))
    test.stop.abort()
    test.source.put('c')
    await test.finish('a')
    expect(ended).toBe(false)
    await test.fail('b', new Error('just then'))
    expect(ended).toBe(true)
    expect(test.started).toEqual(['a', 'b'])
    expect(test.lines.map(({ message }) => message)).toEqual([
      'Cannot reconcile Widget b (attempt 1, next after the next start): just then',
    ])
    expect(test.clock.pendingTimers).toBe(0)
    expect(test.source.listeners).toBe(0)
  })

  it('takes no key that becomes ready at the very moment of the stop', async () => {
    const { source, stop, run, started } = await running({})
    source.put('a')
    stop.abort()
    await run
    expect(started).toEqual([])
  })

  it('starts nothing if it was stopped before the start', async () => {
    const { run, started, source } = await running({ there: ['a'], stopped: true })
    await run
    expect([started, source.listeners]).toEqual([[], 0])
  })
})

describe('the next run of a controller', () => {
  it('begins with all objects that exist, and counts failures from zero', async () => {
    const test = await running({ there: ['a'], reconcile: () => Promise.reject(new Error('no')) })
    await test.clock.advance(64)
    test.stop.abort()
    await test.run
    test.source.put('b')
    await test.clock.advance(10_000)
    expect(test.started).toEqual(['a', 'a'])

    void test.runAgain()
    await settle()
    expect(test.started).toEqual(['a', 'a', 'a', 'b'])
    expect(test.lines.slice(2).map(({ fields }) => fields['attempt'])).toEqual([1, 1])
  })

  it('cannot begin before the last one has ended', async () => {
    const { runAgain } = await running({})
    await expect(runAgain()).rejects.toThrow('The controller test is already running.')
  })
})

describe('whatever the interleaving of changes and reconciles', () => {
  const keys = ['a', 'b', 'c', 'd', 'e']
  const anyKey = fc.constantFrom(...keys)
  const anySteps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('change' as const), key: anyKey }),
      fc.record({ do: fc.constant('delete' as const), key: anyKey }),
      fc.record({ do: fc.constant('finish' as const), key: anyKey }),
      fc.record({ do: fc.constant('look again' as const), key: anyKey, ms: fc.nat(200) }),
      fc.record({ do: fc.constant('fail' as const), key: anyKey }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(200) }),
    ),
    { maxLength: 50 },
  )

  it('no key is reconciled twice at once, no more workers are busy than there are, and the last reconcile comes after the last change', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, fc.integer({ min: 1, max: 4 }), async (steps, workers) => {
        const test = await running({ reconcile: 'held', workers })
        const startsBeforeLastChange = new Map<Key, number>()
        for (const step of steps) {
          if (step.do === 'change') test.source.put(step.key)
          else if (step.do === 'delete') test.source.remove(step.key)
          else if (step.do === 'finish') await test.finish(step.key)
          else if (step.do === 'look again') await test.finish(step.key, requeueAfter(step.ms))
          else if (step.do === 'fail') await test.fail(step.key, new Error('no'))
          else await test.clock.advance(step.ms)
          // Before anything else can run: whatever starts from here on sees the change.
          if (step.do === 'change') startsBeforeLastChange.set(step.key, test.started.length)
          await settle()
        }
        while (test.inHand.size > 0) for (const key of keys) await test.finish(key)

        expect(test.mostInHand).toBeLessThanOrEqual(workers)
        expect(test.twiceInHand).toEqual([])
        for (const [key, starts] of startsBeforeLastChange) {
          expect(test.started.slice(starts)).toContain(key)
        }
        test.stop.abort()
        await test.run
        expect(test.clock.pendingTimers).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})

interface TestObject extends NamedObject {
  readonly owner?: string
}

interface TestContext {
  readonly signal: AbortSignal
  readonly extra: string
}

interface Scenario {
  readonly clock?: VirtualClock
  readonly there?: readonly Key[]
  readonly keysOf?: MapFunc<TestObject>
  /** `held`: each reconcile lasts until the test says `finish` or `fail`. */
  readonly reconcile?: Reconcile<TestContext> | 'held'
  readonly workers?: number
  readonly stopped?: boolean
}

/** A controller that runs, and all that a test wants to see of it. */
async function running(scenario: Scenario) {
  const { there = [], keysOf = ({ metadata }) => keyOf(metadata), stopped = false } = scenario
  const { reconcile = async () => {}, workers = 4, clock = new VirtualClock() } = scenario
  const metrics = createMetrics('test')
  const { log, lines } = recordingLogger()
  const source = new TestSource()
  for (const key of there) source.put(key)

  const started: Key[] = []
  const held = heldReconcile()
  const controller = new Controller<TestContext>({
    name: 'test',
    kind: 'Widget',
    reconcile: (key, context) => {
      started.push(key)
      return reconcile === 'held' ? held.reconcile(key) : reconcile(key, context)
    },
    sources: [enqueueFrom(source, keysOf)],
    workers,
    backoff,
    clock,
    random: () => 0,
    log,
    metrics,
  })

  const stop = new AbortController()
  const term = new AbortController()
  onTestFinished(() => term.abort())
  if (stopped) stop.abort()
  const runAgain = (signal = new AbortController().signal) =>
    controller.run({ stop: signal, context: { signal: term.signal, extra: 'given' } })
  const run = runAgain(stop.signal)
  await settle()
  return Object.assign(held, { clock, metrics, lines, source, started, stop, term, run, runAgain })
}

/** Reconciles that end when they are told to. */
function heldReconcile() {
  const inHand = new Map<Key, { resolve: (next?: RequeueAfter) => void; reject: (error: Error) => void }>()
  const held = {
    inHand,
    mostInHand: 0,
    twiceInHand: [] as Key[],
    reconcile: (key: Key) =>
      new Promise<RequeueAfter | void>((resolve, reject) => {
        if (inHand.has(key)) held.twiceInHand.push(key)
        inHand.set(key, { resolve, reject })
        held.mostInHand = Math.max(held.mostInHand, inHand.size)
      }),
    finish: async (key: Key, next?: RequeueAfter) => {
      const reconcile = inHand.get(key)
      inHand.delete(key)
      reconcile?.resolve(next)
      await settle()
    },
    fail: async (key: Key, error: Error) => {
      const reconcile = inHand.get(key)
      inHand.delete(key)
      reconcile?.reject(error)
      await settle()
    },
  }
  return held
}

class TestSource implements Source<TestObject> {
  readonly #objects = new Map<Key, TestObject>()
  readonly #listeners = new Set<(change: Change<TestObject>) => void>()

  get listeners(): number {
    return this.#listeners.size
  }

  values(): Iterable<TestObject> {
    return this.#objects.values()
  }

  subscribe(listener: (change: Change<TestObject>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  put(key: Key, fields: Pick<TestObject, 'owner'> = {}): void {
    const object = { kind: 'Widget', metadata: refOf(key), ...fields }
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#tell(previous === undefined ? { type: 'added', object } : { type: 'updated', object, previous })
  }

  remove(key: Key): void {
    const object = this.#objects.get(key)
    if (object === undefined) return
    this.#objects.delete(key)
    this.#tell({ type: 'deleted', object })
  }

  #tell(change: Change<TestObject>): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function recordingLogger() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const logger = (bound: object): Logger => {
    const write = (level: string) => (fields: object, message: string) => {
      lines.push({ level, message, fields: { ...bound, ...fields } })
    }
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => logger({ ...bound, ...fields }),
    }
  }
  return { log: logger({}), lines }
}
