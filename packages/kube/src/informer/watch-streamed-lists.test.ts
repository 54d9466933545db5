import { expect, test } from 'vitest'
import type { ElideOptions, KubeApi, ObjectList, WatchEvent } from '../client/api.ts'
import { ApiError, ConnectionError, MalformedResponseError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import {
  added,
  anObject,
  bookmark,
  deleted,
  type Event,
  endOfList,
  gone,
  hang,
  listOf,
  notStreamed,
  play,
  type Script,
} from '../testing/scripted-watch.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'

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

test('A streamed list applies changes that come before it has ended, and becomes the watch', async () => {
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
  const { clock, changes, watch, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(0)
  expect(changes).toEqual(['list a,b', 'apply d'])
  expect(asked).toEqual(['stream'])
  expect(watch.state).toEqual({ state: 'watching' })
  await end()
})

test('A streamed list that breaks leaves the earlier objects, and is asked for again', async () => {
  const { client, asked } = streamed(
    [added('a', 5), new ConnectionError('watch', 'reset')],
    [added('a', 5), new MalformedResponseError('watch', 'a line makes no sense')],
    [added('a', 5), added('b', 6), endOfList(6), 'hang'],
  )
  const { clock, changes, watch, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(500)
  expect(changes).toEqual([])
  expect(watch.state.state).toBe('failing')
  await clock.advance(500)
  expect(changes).toEqual(['list a,b'])
  expect(asked).toEqual(['stream', 'stream', 'stream'])
  expect(watch.state).toEqual({ state: 'watching' })
  await end()
})

test('A streamed list that ends cleanly before it is complete is not taken for complete', async () => {
  const { client, asked } = streamed([added('a', 5)], [endOfList(6), 'hang'])
  const { clock, changes, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(300)
  expect(changes).toEqual(['list '])
  expect(asked).toEqual(['stream', 'stream'])
  await end()
})

test('A streamed list that breaks again and again is asked for in pages', async () => {
  const reset = () => new ConnectionError('watch', 'reset')
  const broken = (): Script => [added('a', 5), reset()]
  const { client, asked } = streamed(broken(), broken(), broken())
  const { clock, changes, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(5000)
  expect(asked).toEqual(['stream', 'stream', 'stream', 'pages', 'watch from 50'])
  expect(changes).toEqual(['list paged'])
  await end()
})

test.each([
  ['refuses it', [notStreamed()]],
  ['has begun an ordinary watch instead', [added('a', 5), bookmark(6), 'hang']],
] as [string, Script][])(
  'A streamed list is asked for in pages at once where the server %s, and never again',
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
    const { clock, changes, end } = play({ lists: [], watches: [], options: { client: expiring } })
    await clock.advance(0)
    expect(changes).toEqual(['list paged'])
    await clock.advance(1000)
    expect(asked).toEqual(['stream', 'pages', 'pages', 'watch from 50'])
    await end()
  },
)

test('A streamed list that is silent for ten seconds is asked for in pages, this once', async () => {
  const { client, asked } = streamed(['hang'])
  const { clock, changes, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(9_999)
  expect(asked).toEqual(['stream'])
  await clock.advance(1)
  expect(changes).toEqual(['list paged'])
  expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
  await end()
})

const modified = (name: string, version: number): Event => ({
  type: 'MODIFIED',
  object: anObject(name, version),
})

/** A server that sends these events each second, for as long as it is watched. */
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
])(
  'A streamed list without end and bookmarks is asked for in pages ten seconds after the last new object, whatever %s',
  async (_, eventsOf) => {
    const { clock, changes, asked, end } = busy((second) => [
      ...(second < 3 ? [added(`initial-${second}`, 1)] : []),
      ...eventsOf(second),
    ])
    await clock.advance(11_000)
    expect(asked).toEqual(['stream'])
    await clock.advance(2_000)
    expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
    expect(changes).toEqual(['list paged'])
    await end()
  },
)

test('A streamed list without end and bookmarks is asked for in pages after two minutes where new objects never end', async () => {
  const { clock, changes, asked, end } = busy((second) => [added(`${second}`, second)])
  await clock.advance(119_000)
  expect(asked).toEqual(['stream'])
  await clock.advance(12_000)
  expect(asked).toEqual(['stream', 'pages', 'watch from 50'])
  expect(changes).toEqual(['list paged'])
  await end()
})

test('A streamed list may take a minute and a half where a new object comes every nine seconds', async () => {
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
  const { changes, end } = play({ lists: [], watches: [], options: { client: slow, clock } })
  await clock.advance(90_000)
  expect(changes).toEqual(['list 0,1,2,3,4,5,6,7,8,9'])
  expect(asked).toEqual(['stream'])
  await end()
  await clock.advance(0)
})

test('A streamed list may be silent for as long as any watch once it is complete', async () => {
  const { client, asked } = streamed([endOfList(6), 'hang'])
  const { clock, end } = play({ lists: [], watches: [], options: { client } })
  await clock.advance(74_000)
  expect(asked).toEqual(['stream'])
  await clock.advance(2_000)
  expect(asked).toEqual(['stream', 'watch from 6'])
  await end()
})

test('A streamed list has each object projected before the next is read', async () => {
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
])('A streamed list passes isKeptWhole, when it lists %s', async (_, refusal) => {
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

test('A streamed list does not hold twice what is in the cache already', async () => {
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
