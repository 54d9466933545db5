import { describe, expect, test } from 'vitest'
import type { ObjectList, WatchEvent } from '../client/api.ts'
import { ApiError, ConnectionError, MalformedResponseError, ResponseTooLargeError } from '../client/errors.ts'
import { type Logger, silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { ConfigMap } from '../objects/kinds.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import {
  added,
  bookmark,
  deleted,
  gone,
  hang,
  listOf,
  notStreamed,
  play,
  type Script,
  type Way,
} from '../testing/scripted-watch.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { Watch } from './watch.ts'

test('A list whose pages expire, and that is too long in one piece, is asked for in both ways ever more rarely', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const asked: string[] = []
  const times: number[] = []
  const watch = new Watch<KubeObject>({
    client: {
      async *pages(_, { pageSize } = {}) {
        asked.push(pageSize === 0 ? 'whole' : 'pages')
        times.push(clock.monotonic())
        if (asked.length > 6) yield listOf(5, 'a') as ObjectList<never>
        else if (pageSize === 0) throw new ResponseTooLargeError('list ConfigMap', 'the answer is too long')
        else throw gone()
      },
      watchOnce: (_, { resourceVersion, signal }) =>
        resourceVersion === undefined ? Promise.reject(notStreamed()) : hang(signal),
    },
    kind: ConfigMap,
    sink: { replace: () => {}, apply: () => {}, delete: () => {} },
    clock,
    random: () => 0,
    log: silentLogger,
    metrics: createMetrics('test'),
  })
  const running = watch.run(stop.signal)
  await clock.advance(300_000)
  expect(asked).toEqual(['pages', 'whole', 'pages', 'whole', 'pages', 'whole', 'pages'])
  const delays = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  expect(delays).toEqual(delays.toSorted((one, other) => one - other))
  expect(delays.at(-1)).toBeGreaterThan(10 * (delays[0] ?? 0))
  stop.abort(new Error('the test is over'))
  await clock.advance(0)
  await running
})

test.each([
  ['without a word', []],
  ['after a bookmark', [[bookmark(9)]]],
])('A stream that ends at once %s, again and again, is not asked for in a hot loop', async (_, batches) => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  let requests = 0
  const watch = new Watch<KubeObject>({
    client: {
      async *pages() {
        yield listOf(5) as ObjectList<never>
      },
      async watchOnce(_, { resourceVersion }) {
        if (resourceVersion === undefined) throw notStreamed()
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
    metrics: createMetrics('test'),
  })
  const running = watch.run(stop.signal)
  await clock.advance(60_000)
  expect(requests).toBeLessThan(batches.length === 0 ? 12 : 60_000 / 200)
  stop.abort()
  await clock.advance(0)
  await running
})

describe.each<Way>(['streamed', 'in pages'])('where lists come %s,', (way) => {
  test('A kind is listed, then watched from that version on', async () => {
    const { clock, changes, asked, end } = play({
      way,
      lists: [listOf(5, 'a', 'b')],
      watches: [[added('c', 6), deleted('a', 7), 'hang']],
    })
    await clock.advance(0)
    expect(asked).toEqual(['list', 'watch from 5'])
    expect(changes).toEqual(['list a,b', 'apply c', 'delete a'])
    await end()
  })

  test('A watch that ends in good order is resumed at the last version seen, bookmarks included', async () => {
    const { clock, asked, end } = play({
      way,
      lists: [listOf(5)],
      watches: [[added('a', 6)], [bookmark(90)], ['hang']],
    })
    await clock.advance(11_000)
    expect(asked).toEqual(['list', 'watch from 5', 'watch from 6', 'watch from 90'])
    await end()
  })

  test('A watch whose connection breaks is resumed at the last version seen', async () => {
    const { clock, asked, changes, end } = play({
      way,
      lists: [listOf(5)],
      watches: [
        [added('a', 6), new ConnectionError('watch', 'reset')],
        [added('b', 7), 'hang'],
      ],
    })
    await clock.advance(1000)
    expect(asked).toEqual(['list', 'watch from 5', 'watch from 6'])
    expect(changes).toEqual(['list ', 'apply a', 'apply b'])
    await end()
  })

  test('An expired version leads to a new list, whether the response or an event in the stream says so', async () => {
    const status = { code: 410, reason: 'Expired', message: 'too old' }
    const { clock, asked, end } = play({
      way,
      lists: [listOf(5), listOf(50), listOf(500)],
      watches: [[gone()], [{ type: 'ERROR', object: status }], ['hang']],
    })
    await clock.advance(5000)
    expect(asked).toEqual(['list', 'watch from 5', 'list', 'watch from 50', 'list', 'watch from 500'])
    await end()
  })

  test('A watch with any other failure is retried for ever, with growing delays up to half a minute', async () => {
    const failure = new ApiError('list', 500, { message: 'etcd is away' })
    const { clock, times, watch, end } = play({
      way,
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

  test('A failing watch reports since when, and that it recovered', async () => {
    const forbidden = new ApiError('list ConfigMap', 403, { reason: 'Forbidden', message: 'cannot list' })
    const { clock, watch, end } = play({ way, lists: [forbidden, forbidden, listOf(5)], watches: [['hang']] })
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

  test('A delay starts small again after a watch that worked', async () => {
    const reset = () => new ConnectionError('watch', 'reset')
    const { clock, times, end } = play({
      way,
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
    const { clock, times, end } = play({ way, lists: [listOf(5)], watches: [[busy], ['hang']] })
    await clock.advance(10_000)
    expect(times).toEqual([0, 0, 7000])
    await end()
  })

  test('A watch that is silent for too long is replaced, at the last version', async () => {
    const { clock, asked, end } = play({
      way,
      lists: [listOf(5)],
      watches: [[added('a', 6), 'hang'], ['hang']],
      options: { idleTimeoutMs: 10_000 },
    })
    await clock.advance(9_999)
    expect(asked).toEqual(['list', 'watch from 5'])
    await clock.advance(1000)
    expect(asked).toEqual(['list', 'watch from 5', 'watch from 6'])
    await end()
  })

  test('A kind without any changes is watched on without growing delays, and counts as healthy', async () => {
    const { clock, times, watch, end } = play({
      way,
      lists: [listOf(5)],
      watches: Array.from({ length: 20 }, (): Script => ['hang']),
      options: { idleTimeoutMs: 10_000 },
    })
    await clock.advance(60_000)
    const delays = times.slice(2).map((time, at) => time - (times[at + 1] ?? 0))
    expect(new Set(delays)).toEqual(new Set([10_250]))
    expect(watch.state).toEqual({ state: 'watching' })
    await end()
  })

  test('A malformed line is asked for again; if it stays malformed, everything is listed again', async () => {
    const malformed = () => new MalformedResponseError('watch', 'a line makes no sense')
    const { clock, asked, end } = play({
      way,
      lists: [listOf(5), listOf(9)],
      watches: [[added('a', 6), malformed()], [malformed()], [malformed()], ['hang']],
    })
    await clock.advance(10_000)
    expect(asked).toEqual(['list', 'watch from 5', 'watch from 6', 'watch from 6', 'list', 'watch from 9'])
    await end()
  })

  test('An object is projected before it is stored, listed ones and watched ones', async () => {
    const stored: Persisted[] = []
    const { clock, end } = play({
      way,
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
    expect(stored.map(({ metadata }) => metadata.labels)).toEqual([
      { projected: 'yes' },
      { projected: 'yes' },
    ])
    await end()
  })

  test('A stopped watch leaves nothing running', async () => {
    const { clock, end } = play({ way, lists: [listOf(5)], watches: [['hang']] })
    await clock.advance(0)
    await end()
    expect(clock.pendingTimers).toBe(0)
  })
})

describe.each<Way>(['streamed', 'in pages'])(
  'an object that cannot be projected, in a list that comes %s,',
  (way) => {
    /** As the Event with the year 10000 was: to read it throws. */
    const project = (object: Persisted) => {
      if (object.metadata.name === 'poison') throw new RangeError('Invalid time value')
      return object
    }

    function noting() {
      const lines: string[] = []
      const log: Logger = { ...silentLogger, error: (_, message) => lines.push(message), child: () => log }
      const metrics = createMetrics('test')
      const counted = async () =>
        (await metrics.unreadableObjects.get()).values.map(({ labels, value }) => [labels.kind, value])
      return { lines, counted, options: { log, metrics, project } }
    }

    test('An object that cannot be projected is left out, and stops neither the list nor the watch', async () => {
      const { lines, counted, options } = noting()
      const { clock, watch, changes, end } = play({
        way,
        lists: [listOf(5, 'a', 'poison', 'b')],
        watches: [[added('c', 6), added('poison', 7), added('d', 8), deleted('poison', 9), 'hang']],
        options,
      })
      await clock.advance(0)
      expect(changes).toEqual(['list a,b', 'apply c', 'delete poison', 'apply d', 'delete poison'])
      expect(watch.state).toEqual({ state: 'watching' })
      expect(lines).toEqual([
        'ConfigMap default/poison cannot be understood: it is left out until it is changed',
        'ConfigMap default/poison cannot be understood: it is left out until it is changed',
      ])
      expect(await counted()).toEqual([['ConfigMap', 2]])
      await end()
    })

    test('An object that cannot be projected is logged once, however often it is listed', async () => {
      const { lines, counted, options } = noting()
      const { clock, end } = play({
        way,
        lists: Array.from({ length: 5 }, () => listOf(5, 'poison')),
        watches: Array.from({ length: 4 }, (): Script => [gone()]),
        options,
      })
      await clock.advance(60_000)
      expect(lines).toHaveLength(1)
      expect(await counted()).toEqual([['ConfigMap', 1]])
      await end()
    })
  },
)
