import { expect, test } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { ApiError, ConnectionError, MalformedAnswerError } from './errors.ts'
import { ConfigMap } from './kinds.ts'
import { silentLogger } from './log.ts'
import { createMetrics } from './metrics.ts'
import type { KubeObject, Live } from './objects.ts'
import type { ObjectList, Verbs, WatchEvent, WatchOnceOptions } from './verbs.ts'
import { Watch, type WatchOptions } from './watch.ts'

type Event = WatchEvent<KubeObject>
/** What one watch request does: gives these events one by one, and then ends, fails, or hangs. */
type Script = (Event | Error | 'hang')[]
type List = ObjectList<KubeObject> | Error

function anObject(name: string, version: number): Live {
  return { metadata: { name, namespace: 'default', uid: name, resourceVersion: String(version) } }
}

const added = (name: string, version: number): Event => ({ type: 'ADDED', object: anObject(name, version) })
const deleted = (name: string, version: number): Event => ({
  type: 'DELETED',
  object: anObject(name, version),
})
const bookmark = (version: number): Event => ({ type: 'BOOKMARK', object: anObject('', version) })
const listOf = (version: number, ...names: string[]): List => ({
  resourceVersion: String(version),
  items: names.map((name) => anObject(name, version)),
})
const gone = () =>
  new ApiError('watch ConfigMap', 410, { reason: 'Expired', message: 'too old resource version' })

/** Runs a watch against lists and watch requests that are scripted; when the scripts end, everything hangs. */
function play({
  lists,
  watches,
  options,
}: {
  lists: List[]
  watches: Script[]
  options?: Partial<WatchOptions<KubeObject>>
}) {
  const clock = new VirtualClock()
  const told: string[] = []
  const asked: string[] = []
  const times: number[] = []
  const stop = new AbortController()

  const client: Pick<Verbs, 'pages' | 'watchOnce'> = {
    async *pages() {
      asked.push('list')
      times.push(clock.monotonic())
      const list = lists.shift()
      if (list === undefined) await hang(stop.signal)
      if (list instanceof Error) throw list
      yield list as ObjectList<never>
    },
    async watchOnce(_, { resourceVersion, signal }: WatchOnceOptions) {
      asked.push(`watch from ${resourceVersion}`)
      times.push(clock.monotonic())
      const [first, ...rest] = watches.shift() ?? ['hang' as const]
      if (first instanceof Error) throw first
      return (async function* () {
        for (const step of [first, ...rest]) {
          if (step === undefined) return
          if (step === 'hang') await hang(signal)
          else if (step instanceof Error) throw step
          else yield [step as WatchEvent<never>]
        }
        await new Promise<void>((resolve) => clock.after(5000, resolve)) // An orderly end comes after a while.
      })()
    },
  }
  const watch = new Watch<KubeObject>({
    client,
    kind: ConfigMap,
    sink: {
      replace: (objects) => told.push(`list ${objects.map(({ metadata }) => metadata.name).join()}`),
      apply: ({ metadata }) => told.push(`apply ${metadata.name}`),
      delete: ({ metadata }) => told.push(`delete ${metadata.name}`),
    },
    clock,
    random: () => 0,
    log: silentLogger,
    metrics: createMetrics(),
    ...options,
  })
  const running = watch.run(stop.signal)
  const end = async () => {
    stop.abort(new Error('the test is over'))
    await clock.advance(0)
    await running
  }
  return { watch, clock, told, asked, times, end }
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

test('it lists, then watches from that version on', async () => {
  const { clock, told, asked, end } = play({
    lists: [listOf(5, 'a', 'b')],
    watches: [[added('c', 6), deleted('a', 7), 'hang']],
  })
  await clock.advance(0)
  expect(asked).toEqual(['list', 'watch from 5'])
  expect(told).toEqual(['list a,b', 'apply c', 'delete a'])
  await end()
})

test('a watch that ends in good order is resumed at the last version seen, bookmarks included', async () => {
  const { clock, asked, end } = play({
    lists: [listOf(5)],
    watches: [[added('a', 6)], [bookmark(90)], ['hang']],
  })
  await clock.advance(11_000)
  expect(asked).toEqual(['list', 'watch from 5', 'watch from 6', 'watch from 90'])
  await end()
})

test('a broken connection is resumed at the last version seen', async () => {
  const { clock, asked, told, end } = play({
    lists: [listOf(5)],
    watches: [
      [added('a', 6), new ConnectionError('watch', 'reset')],
      [added('b', 7), 'hang'],
    ],
  })
  await clock.advance(1000)
  expect(asked).toEqual(['list', 'watch from 5', 'watch from 6'])
  expect(told).toEqual(['list ', 'apply a', 'apply b'])
  await end()
})

test('an expired version means a new list, whether the answer or an event in the stream says so', async () => {
  const status = { code: 410, reason: 'Expired', message: 'too old' }
  const { clock, asked, end } = play({
    lists: [listOf(5), listOf(50), listOf(500)],
    watches: [[gone()], [{ type: 'ERROR', object: status }], ['hang']],
  })
  await clock.advance(5000)
  expect(asked).toEqual(['list', 'watch from 5', 'list', 'watch from 50', 'list', 'watch from 500'])
  await end()
})

test('any other failure is retried for ever, with growing delays up to half a minute', async () => {
  const failure = new ApiError('list', 500, { message: 'etcd is away' })
  const { clock, times, watch, end } = play({
    lists: Array.from({ length: 100 }, () => failure),
    watches: [],
  })
  await clock.advance(600_000)
  const delays = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  expect(delays.slice(0, 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000])
  expect(new Set(delays.slice(8))).toEqual(new Set([30_000]))
  expect(watch.state).toMatchObject({
    state: 'failing',
    problem: expect.stringContaining('etcd is away') as string,
  })
  await end()
})

test('a failing watch says since when, and that it is well again once it is', async () => {
  const forbidden = new ApiError('list ConfigMap', 403, { reason: 'Forbidden', message: 'cannot list' })
  const { clock, watch, end } = play({ lists: [forbidden, forbidden, listOf(5)], watches: [['hang']] })
  const start = clock.now()
  await clock.advance(300)
  expect(watch.state).toEqual({
    state: 'failing',
    problem: 'Cannot list ConfigMap: 403 Forbidden: cannot list',
    since: start,
  })
  await clock.advance(1000)
  expect(watch.state).toEqual({ state: 'watching' })
  await end()
})

test('delays start small again after a watch that worked', async () => {
  const reset = () => new ConnectionError('watch', 'reset')
  const { clock, times, end } = play({
    lists: [listOf(5)],
    watches: [[reset()], [reset()], [added('a', 6), reset()], ['hang']],
  })
  await clock.advance(60_000)
  const delays = times.slice(2).map((time, at) => time - (times[at + 1] ?? 0))
  expect(delays).toEqual([250, 500, 250])
  await end()
})

test('Retry-After on a watch is waited out', async () => {
  const busy = new ApiError('watch', 429, { message: 'busy' }, 7000)
  const { clock, times, end } = play({ lists: [listOf(5)], watches: [[busy], ['hang']] })
  await clock.advance(10_000)
  expect(times).toEqual([0, 0, 7000])
  await end()
})

test('a watch from which nothing comes is replaced, at the last version', async () => {
  const { clock, asked, end } = play({
    lists: [listOf(5)],
    watches: [[added('a', 6), 'hang'], ['hang']],
    options: { silenceMs: 10_000 },
  })
  await clock.advance(9_999)
  expect(asked).toEqual(['list', 'watch from 5'])
  await clock.advance(1000)
  expect(asked).toEqual(['list', 'watch from 5', 'watch from 6'])
  await end()
})

test('a kind to which nothing ever happens is watched on without growing delays, and counts as well', async () => {
  const { clock, times, watch, end } = play({
    lists: [listOf(5)],
    watches: Array.from({ length: 20 }, (): Script => ['hang']),
    options: { silenceMs: 10_000 },
  })
  await clock.advance(60_000)
  const delays = times.slice(2).map((time, at) => time - (times[at + 1] ?? 0))
  expect(new Set(delays)).toEqual(new Set([10_250]))
  expect(watch.state).toEqual({ state: 'watching' })
  await end()
})

test('a line that makes no sense is asked for again; if it stays so, everything is listed again', async () => {
  const malformed = () => new MalformedAnswerError('watch', 'a line makes no sense')
  const { clock, asked, end } = play({
    lists: [listOf(5), listOf(9)],
    watches: [[added('a', 6), malformed()], [malformed()], [malformed()], ['hang']],
  })
  await clock.advance(10_000)
  expect(asked).toEqual(['list', 'watch from 5', 'watch from 6', 'watch from 6', 'list', 'watch from 9'])
  await end()
})

test.each([
  ['without a word', []],
  ['after a bookmark', [[bookmark(9)]]],
])('a stream that ends at once %s, again and again, is not asked for in a hot loop', async (_, batches) => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  let requests = 0
  const watch = new Watch<KubeObject>({
    client: {
      async *pages() {
        yield listOf(5) as ObjectList<never>
      },
      async watchOnce() {
        requests += 1
        if (requests > 1000) await hang(stop.signal) // A hot loop fails the test, not the machine.
        return (async function* () {
          yield* batches as WatchEvent<never>[][]
        })()
      },
    },
    kind: ConfigMap,
    sink: { replace() {}, apply() {}, delete() {} },
    clock,
    random: () => 0,
    log: silentLogger,
    metrics: createMetrics(),
  })
  const running = watch.run(stop.signal)
  await clock.advance(60_000)
  expect(requests).toBeLessThan(batches.length === 0 ? 12 : 60_000 / 200)
  stop.abort()
  await clock.advance(0)
  await running
})

test('objects are projected before they are stored, listed ones and watched ones', async () => {
  const stored: Live[] = []
  const { clock, end } = play({
    lists: [listOf(5, 'a')],
    watches: [[added('b', 6), 'hang']],
    options: {
      project: ({ metadata }) => ({ metadata: { ...metadata, labels: { projected: 'yes' } } }),
      sink: {
        replace: (objects) => stored.push(...objects),
        apply: (object) => stored.push(object),
        delete() {},
      },
    },
  })
  await clock.advance(0)
  expect(stored.map(({ metadata }) => metadata.labels)).toEqual([{ projected: 'yes' }, { projected: 'yes' }])
  await end()
})

test('when it is stopped, nothing is left running', async () => {
  const { clock, end } = play({ lists: [listOf(5)], watches: [['hang']] })
  await clock.advance(0)
  await end()
  expect(clock.pendingTimers).toBe(0)
})

test('an object that cannot be projected is named; its deletion needs no projection', async () => {
  const { clock, watch, told, end } = play({
    lists: [listOf(5)],
    watches: [[deleted('a', 6), added('b', 7), 'hang']],
    options: {
      project: () => {
        throw new TypeError('no such field')
      },
    },
  })
  await clock.advance(0)
  expect(told).toEqual(['list ', 'delete a'])
  expect(watch.state).toMatchObject({
    problem: 'Cannot project ConfigMap default/b: TypeError: no such field',
  })
  await end()
})
