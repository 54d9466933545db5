import { expect, it } from 'vitest'
import { WriteRefusedError } from '../client/errors.ts'
import { keyOf } from '../objects/objects.ts'
import { running } from '../testing/running-controller.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { type RequeueAfter, requeueAfter } from './controller.ts'

it('A reconcile that throws backs off its own key alone, twice as long each time, until it succeeds', async () => {
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

it('A reconcile that throws is logged each time, with the name of the object, the attempt and the next try', async () => {
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
  ['with a string', () => Promise.reject('just words'), "'just words'"],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
  ['with nothing', () => Promise.reject(), 'undefined'],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
  [
    'with what cannot be made a string',
    () => Promise.reject(Object.create(null)),
    '[Object: null prototype] {}',
  ],
  ['by a senseless answer', async () => requeueAfter(Number.NaN), 'a cannot be added after NaN ms'],
])('A reconcile that fails %s is retried with backoff like any error', async (_, reconcile, message) => {
  const { clock, started, lines } = await running({ there: ['a'], workers: 1, reconcile })
  await clock.advance(64)
  expect(started).toEqual(['a', 'a'])
  expect(lines).toHaveLength(2)
  expect(lines[0]?.message).toContain(`Cannot reconcile Widget a (attempt 1, next in 64 ms): ${message}`)
  expect(lines[0]?.fields['err']).toBeInstanceOf(Error)
})

it('A reconcile that throws because writes are refused counts as no error, but is retried should the leadership go on', async () => {
  const { clock, started, lines } = await running({
    there: ['a'],
    reconcile: () => Promise.reject(new WriteRefusedError('no longer leading')),
  })
  await clock.advance(64)
  expect(started).toEqual(['a', 'a'])
  expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug'])
})

it('A reconcile that throws because the leadership is over counts as no error, and is not retried', async () => {
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

it('A map function that throws is logged with the name of the object, and later changes are still mapped', async () => {
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
