import { expect, it } from 'vitest'
import { ApiError, ConnectionError, WriteRefusedError } from '../client/errors.ts'
import { aBench, refusal, router, scopeChanged } from '../testing/recorder-bench.ts'

it('The recorder returns at once, and never throws, when the API server fails', () => {
  const bench = aBench()
  bench.network = () => new Promise(() => {})
  expect(bench.recorder.record(router, scopeChanged)).toBeUndefined()
  expect(() => bench.recorder.record(undefined as never, scopeChanged)).not.toThrow()
  expect(() => bench.recorder.record(router, { ...scopeChanged, note: 5 as never })).not.toThrow()
})

it('Transient failures are retried with backoff', async () => {
  const bench = aBench()
  bench.network = async () => {
    throw new ConnectionError('create Event', 'refused')
  }
  await bench.record()
  await bench.clock.advance(10_000)
  expect(bench.requests.length).toBeGreaterThanOrEqual(3)
  expect(bench.requests.length).toBeLessThanOrEqual(5)
  bench.network = async () => {}
  await bench.clock.advance(30_000)
  expect(bench.stored).toHaveLength(1)
  expect(await bench.dropped()).toEqual({})
})

it('Retry-After is respected', async () => {
  const bench = aBench()
  bench.network = async () => {
    throw new ApiError('create Event', 429, { reason: 'TooManyRequests' }, 20_000)
  }
  await bench.record()
  await bench.clock.advance(19_999)
  expect(bench.requests).toHaveLength(1)
  await bench.clock.advance(1)
  expect(bench.requests).toHaveLength(2)
})

it('An Event that fails again and again is dropped after a few tries, and counted', async () => {
  const bench = aBench()
  bench.network = async () => {
    throw refusal(503, 'ServiceUnavailable')
  }
  await bench.record()
  await bench.clock.advance(600_000)
  expect(bench.requests).toHaveLength(6)
  expect(await bench.dropped()).toEqual({ unreachable: 1 })
  expect(bench.warnings).toEqual(['Events are being lost: the API server cannot be reached'])
})

it.each([
  [refusal(403, 'Forbidden'), 'forbidden'],
  [refusal(422, 'Invalid'), 'rejected'],
  [refusal(404, 'NotFound'), 'rejected'],
  [new WriteRefusedError('not leading'), 'refused'],
])(
  'The failure %s is permanent: nothing is retried, all is counted, one line is logged',
  async (error, cause) => {
    const bench = aBench()
    bench.network = async () => {
      throw error
    }
    await bench.record({ note: 'one' })
    await bench.record({ note: 'two' })
    await bench.clock.advance(300_000)
    expect(bench.requests).toHaveLength(2)
    expect(await bench.dropped()).toEqual({ [cause]: 2 })
    expect(bench.warnings).toHaveLength(1)
  },
)

it('An Event whose creation got no response is not created twice', async () => {
  const bench = aBench()
  bench.network = async ({ name }) => {
    bench.network = async () => {}
    bench.events.set(name, { eventTime: '' })
    throw new ConnectionError('create Event', 'no answer')
  }
  await bench.record()
  await bench.record()
  await bench.clock.advance(10_000)
  expect(bench.stored).toHaveLength(1)
  expect(bench.stored[0]?.series?.count).toBe(2)
  expect(await bench.dropped()).toEqual({})
})

it('An Event that fails does not hold up the others', async () => {
  const bench = aBench()
  let first: string | undefined
  bench.network = async ({ name }) => {
    first ??= name
    if (name === first) throw refusal(500, 'InternalError')
  }
  await bench.record({ note: 'fails' })
  await bench.record({ note: 'works' })
  expect(bench.stored).toMatchObject([{ note: 'works' }])
})

it('An overflow is dropped and counted, with one line in the log', async () => {
  const bench = aBench({ capacity: 10 })
  bench.network = () => new Promise(() => {})
  for (let i = 0; i < 25; i++) bench.recorder.record(router, { ...scopeChanged, note: `note ${i}` })
  expect(await bench.dropped()).toEqual({ overflow: 15 })
  expect(bench.warnings).toHaveLength(1)
})

it('A reason with a limit takes no more than its share, and other Events are sent', async () => {
  const bench = aBench({ capacity: 10 })
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  bench.network = () => slow
  for (let at = 0; at < 50; at++)
    await bench.record({ reason: 'IngressNotSelected', note: `of ${at}`, maxUnsent: 3 })
  await bench.record({ note: 'something else' })
  answer()
  await bench.clock.advance(1_000)
  expect(bench.stored.map(({ note }) => note)).toEqual(['of 0', 'of 1', 'of 2', 'something else'])
  expect(await bench.dropped()).toEqual({ overflow: 47 })
  await bench.record({ reason: 'IngressNotSelected', note: 'later', maxUnsent: 3 })
  expect(bench.stored.at(-1)?.note).toBe('later')
})

it('Memory is bounded: the series that was sent longest ago makes room', async () => {
  const bench = aBench({ capacity: 2 })
  for (const note of ['one', 'two', 'one', 'three', 'one', 'two']) {
    await bench.record({ note })
    await bench.clock.advance(5_000)
  }
  expect(bench.stored.map(({ note }) => note)).toEqual(['one', 'two', 'three', 'two'])
  expect(await bench.dropped()).toEqual({})
})
