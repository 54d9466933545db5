import { expect, it } from 'vitest'
import { running } from '../testing/running-controller.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { type RequeueAfter, requeueAfter, requeueWithBackoff } from './controller.ts'

it('A controller reconciles all that is there, then whatever changes', async () => {
  const { source, started } = await running({ there: ['ns/a', 'ns/b'] })
  expect(started).toEqual(['ns/a', 'ns/b'])
  source.put('ns/c')
  source.remove('ns/a')
  await settle()
  expect(started).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/a'])
})

it('A controller reconciles again when the reconcile asks for it, and only then', async () => {
  const answers: (RequeueAfter | undefined)[] = [requeueAfter(1000), undefined]
  const { clock, started } = await running({ there: ['a'], reconcile: async () => answers.shift() })
  await clock.advance(999)
  expect(started).toEqual(['a'])
  await clock.advance(1)
  expect(started).toEqual(['a', 'a'])
  await clock.advance(1_000_000)
  expect(started).toEqual(['a', 'a'])
})

it('A controller retries ever later while its reconcile returns requeueWithBackoff, logs nothing, and reconciles at once on a change', async () => {
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

it('A controller does not wait longer after a failure because of earlier requeueWithBackoff', async () => {
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

it('A controller reconciles as many keys at once as it has workers', async () => {
  const { started, finish } = await running({ there: ['a', 'b', 'c'], workers: 2, reconcile: 'held' })
  expect(started).toEqual(['a', 'b'])
  await finish('a')
  expect(started).toEqual(['a', 'b', 'c'])
  await Promise.all([finish('b'), finish('c')])
})

it('A controller enqueues both owners of an object that moves from one to the other', async () => {
  const { source, started } = await running({ keysOf: ({ owner }) => owner })
  source.put('child', { owner: 'old' })
  await settle()
  started.length = 0
  source.put('child', { owner: 'new' })
  await settle()
  expect(started).toEqual(['old', 'new'])
})

it('A controller gives each reconcile the context of the run and a log that names the object', async () => {
  const { lines } = await running({
    there: ['ns/a'],
    reconcile: async (_, { log, extra }) => log.info({ extra }, 'hello'),
  })
  const fields = { controller: 'test', kind: 'Widget', namespace: 'ns', name: 'a', extra: 'given' }
  expect(lines).toEqual([{ level: 'info', message: 'hello', fields }])
})

it('A controller counts and times reconciles by result', async () => {
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

it('A stopped controller finishes what is in flight, takes nothing new and leaves nothing behind', async () => {
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

it('A stopped controller takes no key that becomes ready at the very moment of the stop', async () => {
  const { source, stop, run, started } = await running({})
  source.put('a')
  stop.abort()
  await run
  expect(started).toEqual([])
})

it('A controller that was stopped before the start starts nothing', async () => {
  const { run, started, source } = await running({ there: ['a'], stopped: true })
  await run
  expect([started, source.listeners]).toEqual([[], 0])
})

it('The next run of a controller begins with all objects that exist, and counts failures from zero', async () => {
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

it('The next run of a controller cannot begin before the last one has ended', async () => {
  const { runAgain } = await running({})
  await expect(runAgain()).rejects.toThrow('The controller test is already running.')
})
