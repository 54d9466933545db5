// Longer than 350 lines: most claims hold for streamed lists and for lists in pages, and share one scripted API server.

import { describe, expect, test } from 'vitest'
import type { ElideOptions, KubeApi, ObjectList, WatchEvent, WatchOnceOptions } from '../client/api.ts'
import { ApiError, ConnectionError, MalformedResponseError, ResponseTooLargeError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import { type Logger, silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { ConfigMap } from '../objects/kinds.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { Watch, type WatchOptions } from './watch.ts'

type Event = WatchEvent<KubeObject>
/** What one watch request does: gives these events one by one, and then ends, fails, or hangs. */
type Script = (Event | Error | 'hang')[]
type List = ObjectList<KubeObject> | Error

function anObject(name: string, version: number): Persisted {
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
const endOfList = (version: number): Event => {
  const { metadata } = anObject('', version)
  const annotations = { 'k8s.io/initial-events-end': 'true' }
  return { type: 'BOOKMARK', object: { metadata: { ...metadata, annotations } } }
}
/** As a server says it that does not stream lists. */
const notStreamed = () =>
  new ApiError('watch ConfigMap', 422, { reason: 'Invalid', message: 'sendInitialEvents is forbidden' })
const gone = () =>
  new ApiError('watch ConfigMap', 410, { reason: 'Expired', message: 'too old resource version' })

/** How the server sends lists: as the beginning of a watch, or in pages, and then it refuses the other. */
type Way = 'streamed' | 'in pages'

interface Play {
  readonly lists: List[]
  readonly watches: Script[]
  readonly way?: Way
  readonly options?: Partial<WatchOptions<KubeObject>>
}

/** Runs a watch against lists and watch requests that are scripted; when the scripts end, everything hangs. */
function play({ lists, watches, way = 'streamed', options }: Play) {
  const clock = new VirtualClock()
  const told: string[] = []
  const asked: string[] = []
  const times: number[] = []
  const stop = new AbortController()

  const ask = (what: string) => {
    asked.push(what)
    times.push(clock.monotonic())
  }
  async function* run(script: Script, signal: AbortSignal): AsyncGenerator<WatchEvent<never>[]> {
    for (const step of script) {
      if (step === 'hang') await hang(signal)
      else if (step instanceof Error) throw step
      else yield [step as WatchEvent<never>]
    }
    await new Promise<void>((resolve) => clock.after(5000, resolve)) // An orderly end comes after a while.
  }
  const client: Pick<KubeApi, 'pages' | 'watchOnce'> = {
    async *pages() {
      ask('list')
      const list = lists.shift()
      if (list === undefined) await hang(stop.signal)
      if (list instanceof Error) throw list
      yield list as ObjectList<never>
    },
    async watchOnce(_, { resourceVersion, signal }: WatchOnceOptions) {
      if (resourceVersion !== undefined) {
        ask(`watch from ${resourceVersion}`)
        const script = watches.shift() ?? ['hang' as const]
        if (script[0] instanceof Error) throw script[0]
        return run(script, signal)
      }
      if (way === 'in pages') throw notStreamed()
      ask('list')
      const list = lists.shift() ?? (await hang(signal))
      if (list instanceof Error) throw list
      return (async function* () {
        for (const object of list.items) yield [{ type: 'ADDED', object } as WatchEvent<never>]
        yield [endOfList(Number(list.resourceVersion)) as WatchEvent<never>]
        ask(`watch from ${list.resourceVersion}`)
        yield* run(watches.shift() ?? ['hang'], signal)
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
    metrics: createMetrics('test'),
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
  test('it lists, then watches from that version on', async () => {
    const { clock, told, asked, end } = play({
      way,
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
      way,
      lists: [listOf(5)],
      watches: [[added('a', 6)], [bookmark(90)], ['hang']],
    })
    await clock.advance(11_000)
    expect(asked).toEqual(['list', 'watch from 5', 'watch from 6', 'watch from 90'])
    await end()
  })

  test('a broken connection is resumed at the last version seen', async () => {
    const { clock, asked, told, end } = play({
      way,
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

  test('an expired version leads to a new list, whether the response or an event in the stream says so', async () => {
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

  test('any other failure is retried for ever, with growing delays up to half a minute', async () => {
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

  test('a failing watch reports since when, and that it recovered', async () => {
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

  test('delays start small again after a watch that worked', async () => {
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

  test('a watch that is silent for too long is replaced, at the last version', async () => {
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

  test('a kind without any changes is watched on without growing delays, and counts as healthy', async () => {
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

  test('a malformed line is asked for again; if it stays malformed, everything is listed again', async () => {
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

  test('objects are projected before they are stored, listed ones and watched ones', async () => {
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

  test('a stopped watch leaves nothing running', async () => {
    const { clock, end } = play({ way, lists: [listOf(5)], watches: [['hang']] })
    await clock.advance(0)
    await end()
    expect(clock.pendingTimers).toBe(0)
  })
})

/** One request for a list that is streamed: what it brings, and how it ends. */
const streamed = (...streams: Script[]) => {
  const asked: string[] = []
  const pages: ObjectList<KubeObject>[] = []
  const client: Pick<KubeApi, 'pages' | 'watchOnce'> = {
    async *pages() {
      asked.push('pages')
      yield (pages.shift() ?? listOf(50, 'paged')) as ObjectList<never>
    },
    async watchOnce(_, { resourceVersion, signal }) {
      asked.push(resourceVersion === undefined ? 'stream' : `watch from ${resourceVersion}`)
      const script = resourceVersion === undefined ? (streams.shift() ?? ['hang']) : (['hang'] as const)
      const [first] = script
      if (first instanceof ApiError) throw first
      return (async function* () {
        for (const step of script) {
          if (step === 'hang') await hang(signal)
          else if (step instanceof Error) throw step
          else yield [step as WatchEvent<never>]
        }
      })()
    },
  }
  return { client, asked, pages }
}

describe('a streamed list', () => {
  test('applies changes that come before it has ended, and becomes the watch', async () => {
    const modified: Event = { type: 'MODIFIED', object: anObject('b', 8) }
    const { client, asked } = streamed([
      added('a', 5),
      added('b', 6),
      added('c', 7),
      modified,
      deleted('c', 9),
      endOfList(9),
      added('d', 10),
      'hang',
    ])
    const { clock, told, watch, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(0)
    expect(told).toEqual(['list a,b', 'apply d'])
    expect(asked).toEqual(['stream'])
    expect(watch.state).toEqual({ state: 'watching' })
    await end()
  })

  test('that breaks leaves the earlier objects, and is asked for again', async () => {
    const { client, asked } = streamed(
      [added('a', 5), new ConnectionError('watch', 'reset')],
      [added('a', 5), new MalformedResponseError('watch', 'a line makes no sense')],
      [added('a', 5), added('b', 6), endOfList(6), 'hang'],
    )
    const { clock, told, watch, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(500)
    expect(told).toEqual([])
    expect(watch.state.state).toBe('failing')
    await clock.advance(500)
    expect(told).toEqual(['list a,b'])
    expect(asked).toEqual(['stream', 'stream', 'stream'])
    expect(watch.state).toEqual({ state: 'watching' })
    await end()
  })

  test('that ends cleanly before it is complete is not taken for complete', async () => {
    const { client, asked } = streamed([added('a', 5)], [endOfList(6), 'hang'])
    const { clock, told, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(300)
    expect(told).toEqual(['list '])
    expect(asked).toEqual(['stream', 'stream'])
    await end()
  })

  test('that breaks again and again is asked for in pages', async () => {
    const reset = () => new ConnectionError('watch', 'reset')
    const broken = (): Script => [added('a', 5), reset()]
    const { client, asked } = streamed(broken(), broken(), broken())
    const { clock, told, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(5000)
    expect(asked).toEqual(['stream', 'stream', 'stream', 'pages', 'watch from 50'])
    expect(told).toEqual(['list paged'])
    await end()
  })

  test.each([
    ['refuses it', [notStreamed()]],
    ['has begun an ordinary watch instead', [added('a', 5), bookmark(6), 'hang']],
  ] as [string, Script][])(
    'is asked for in pages at once where the server %s, and never again',
    async (_, script) => {
      const { client, asked } = streamed(script)
      let watches = 0
      const expiring: typeof client = {
        ...client,
        async watchOnce(kind, options) {
          if (options.resourceVersion !== undefined && watches++ === 0) throw gone()
          return client.watchOnce(kind, options)
        },
      }
      const { clock, told, end } = play({ lists: [], watches: [], options: { client: expiring } })
      await clock.advance(0)
      expect(told).toEqual(['list paged'])
      await clock.advance(1000)
      expect(asked).toEqual(['stream', 'pages', 'pages', 'watch from 50'])
      await end()
    },
  )

  test('that is silent for ten seconds is asked for in pages, this once', async () => {
    const { client, asked } = streamed(['hang'])
    const { clock, told, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(9_999)
    expect(asked).toEqual(['stream'])
    await clock.advance(1)
    expect(told).toEqual(['list paged'])
    expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
    await end()
  })

  describe('that does not end, from a server that has begun an ordinary watch and sends no bookmarks,', () => {
    const modified = (name: string, version: number): Event => ({
      type: 'MODIFIED',
      object: anObject(name, version),
    })

    /** A server that tells these events each second, and goes on for as long as it is listened to. */
    function busy(eventsOf: (second: number) => Event[]) {
      const clock = new VirtualClock()
      const { client, asked } = streamed()
      const streaming: typeof client = {
        ...client,
        async watchOnce(kind, options) {
          const { resourceVersion, signal } = options
          if (resourceVersion !== undefined) return client.watchOnce(kind, options)
          asked.push('stream')
          return (async function* () {
            for (let second = 0; ; second++) {
              yield eventsOf(second) as WatchEvent<never>[]
              await sleep(clock, 1000, signal)
            }
          })()
        },
      }
      return { ...play({ lists: [], watches: [], options: { client: streaming, clock } }), clock, asked }
    }

    test.each<[string, (second: number) => Event[]]>([
      ['changes', (second) => [second === 0 ? added('a', 5) : modified('a', 5 + second)]],
      ['comes and goes', (second) => [added(`${second}`, second), deleted(`${second}`, second)]],
    ])('is asked for in pages ten seconds after the last new object, whatever %s', async (_, eventsOf) => {
      const { clock, told, asked, end } = busy((second) => [
        ...(second < 3 ? [added(`initial-${second}`, 1)] : []),
        ...eventsOf(second),
      ])
      await clock.advance(11_000)
      expect(asked).toEqual(['stream'])
      await clock.advance(2_000)
      expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
      expect(told).toEqual(['list paged'])
      await end()
    })

    test('is asked for in pages after two minutes where new objects never end', async () => {
      const { clock, told, asked, end } = busy((second) => [added(`${second}`, second)])
      await clock.advance(119_000)
      expect(asked).toEqual(['stream'])
      await clock.advance(12_000)
      expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
      expect(told).toEqual(['list paged'])
      await end()
    })
  })

  test('may take a minute and a half where a new object comes every nine seconds', async () => {
    const clock = new VirtualClock()
    const { client, asked } = streamed()
    const slow: typeof client = {
      ...client,
      async watchOnce(_, { signal }) {
        asked.push('stream')
        return (async function* () {
          for (let at = 0; at < 10; at++) {
            await sleep(clock, 9_000, signal)
            yield [added(`${at}`, at) as WatchEvent<never>]
          }
          yield [endOfList(10) as WatchEvent<never>]
          await hang(signal)
        })()
      },
    }
    const { told, end } = play({ lists: [], watches: [], options: { client: slow, clock } })
    await clock.advance(90_000)
    expect(told).toEqual(['list 0,1,2,3,4,5,6,7,8,9'])
    expect(asked).toEqual(['stream'])
    await end()
    await clock.advance(0)
  })

  test('may be silent for as long as any watch once it is complete', async () => {
    const { client, asked } = streamed([endOfList(6), 'hang'])
    const { clock, end } = play({ lists: [], watches: [], options: { client } })
    await clock.advance(74_000)
    expect(asked).toEqual(['stream'])
    await clock.advance(2_000)
    expect(asked).toEqual(['stream', 'watch from 6'])
    await end()
  })

  test('has each object projected before the next is read', async () => {
    const steps: string[] = []
    const client: Pick<KubeApi, 'pages' | 'watchOnce'> = {
      pages: () => expect.fail('not in pages'),
      watchOnce: async (_, { signal }) =>
        (async function* () {
          for (const name of ['a', 'b']) {
            steps.push(`read ${name}`)
            yield [added(name, 5) as WatchEvent<never>]
          }
          yield [endOfList(6) as WatchEvent<never>]
          await hang(signal)
        })(),
    }
    const project = (object: Persisted) => {
      steps.push(`project ${object.metadata.name}`)
      return object
    }
    const { clock, end } = play({ lists: [], watches: [], options: { client, project } })
    await clock.advance(0)
    expect(steps).toEqual(['read a', 'project a', 'read b', 'project b'])
    await end()
  })

  test.each([
    ['in a stream', undefined],
    ['in pages', notStreamed()],
  ])('passes isKeptWhole, when it lists %s', async (_, refusal) => {
    const kept: (boolean | undefined)[] = []
    const note = ({ isKeptWhole }: ElideOptions) => {
      for (const name of ['whole', 'facts', 'broken']) kept.push(isKeptWhole?.(anObject(name, 5)))
    }
    const client: Pick<KubeApi, 'pages' | 'watchOnce'> = {
      async *pages(_kind, options = {}) {
        note(options)
        await hang(options.signal ?? expect.fail('for ever'))
        yield { resourceVersion: '5', items: [] }
      },
      async watchOnce(_kind, options) {
        if (refusal !== undefined) throw refusal
        note(options)
        return hang(options.signal)
      },
    }
    const project = (object: Persisted) => {
      if (object.metadata.name === 'broken') throw new Error('no facts')
      return object.metadata.name === 'whole' ? object : { ...object }
    }
    for (const options of [{ client, project }, { client }]) {
      const { clock, end } = play({ lists: [], watches: [], options })
      await clock.advance(0)
      await end()
    }
    expect(kept).toEqual([true, false, false, undefined, undefined, undefined])
  })

  test('does not hold twice what is in the cache already', async () => {
    const { client } = streamed([added('a', 5), added('b', 6), endOfList(6), 'hang'])
    const stored = new Map([
      ['default/a', anObject('a', 5)],
      ['default/b', anObject('b', 4)],
    ])
    const projected: string[] = []
    let listed: readonly Persisted[] = []
    const { clock, end } = play({
      lists: [],
      watches: [],
      options: {
        client,
        project: (object) => {
          projected.push(object.metadata.name)
          return object
        },
        sink: {
          get: (key) => stored.get(key),
          replace: (objects) => {
            listed = objects
          },
          apply() {},
          delete() {},
        },
      },
    })
    await clock.advance(0)
    expect(projected).toEqual(['b'])
    expect(listed[0]).toBe(stored.get('default/a'))
    expect(listed[1]?.metadata.resourceVersion).toBe('6')
    await end()
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

    test('is left out, and stops neither the list nor the watch', async () => {
      const { lines, counted, options } = noting()
      const { clock, watch, told, end } = play({
        way,
        lists: [listOf(5, 'a', 'poison', 'b')],
        watches: [[added('c', 6), added('poison', 7), added('d', 8), deleted('poison', 9), 'hang']],
        options,
      })
      await clock.advance(0)
      expect(told).toEqual(['list a,b', 'apply c', 'delete poison', 'apply d', 'delete poison'])
      expect(watch.state).toEqual({ state: 'watching' })
      expect(lines).toEqual([
        'ConfigMap default/poison cannot be understood: it is left out until it is changed',
        'ConfigMap default/poison cannot be understood: it is left out until it is changed',
      ])
      expect(await counted()).toEqual([['ConfigMap', 2]])
      await end()
    })

    test('is logged once, however often it is listed', async () => {
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
