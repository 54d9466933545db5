import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { ConcurrencyLimiter, type Slot } from './concurrency-limiter.ts'

const aLimiter = (max: number) =>
  new ConcurrencyLimiter({ name: 'test', max, start: max, metrics: createMetrics('test') })

test('A free slot is given at once', () => {
  expect(aLimiter(1).acquire([])).not.toBeInstanceOf(Promise)
})

test('Requests without a slot wait in order of arrival', async () => {
  const limiter = aLimiter(1)
  const first = limiter.acquire([]) as Slot
  const order: string[] = []
  const second = Promise.resolve(limiter.acquire([])).then((slot) => {
    order.push('second')
    slot.release()
  })
  const third = Promise.resolve(limiter.acquire([])).then((slot) => {
    order.push('third')
    slot.release()
  })
  first.release()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('A request that gives up waiting takes no slot', async () => {
  const limiter = aLimiter(1)
  const first = limiter.acquire([]) as Slot
  const controller = new AbortController()
  const waiting = Promise.resolve(limiter.acquire([controller.signal]))
  controller.abort(new Error('no longer needed'))
  await expect(waiting).rejects.toThrow('no longer needed')
  first.release()
  expect(limiter.acquire([])).not.toBeInstanceOf(Promise)
})

test('An overload halves the limit once, however many requests in flight report it', () => {
  const limiter = aLimiter(16)
  const places = Array.from({ length: 16 }, () => limiter.acquire([]) as Slot)
  for (const slot of places) slot.overloaded()
  expect(limiter.limit).toBe(8)
})

test('A request that is rejected again after its wait halves the limit again, down to one', async () => {
  const limiter = aLimiter(8)
  const slot = limiter.acquire([]) as Slot
  for (let times = 0; times < 10; times++) {
    slot.overloaded()
    await slot.waitOut(async () => {})
  }
  expect(limiter.limit).toBe(1)
})

test('A request that waits out a Retry-After gives its slot to others, and is the first to get one back', async () => {
  const limiter = aLimiter(4)
  const places = Array.from({ length: 4 }, () => limiter.acquire([]) as Slot)
  const [refused, ...others] = places
  const order: string[] = []
  refused?.overloaded()
  let endWait = () => {}
  const returning = refused
    ?.waitOut(() => new Promise((resolve) => (endWait = resolve)))
    .then(() => order.push('refused'))
  const newcomer = Promise.resolve(limiter.acquire([])).then(() => order.push('newcomer'))
  endWait()
  await Promise.resolve()
  await Promise.resolve()
  for (const slot of others) slot.release()
  await Promise.all([returning, newcomer])
  expect(order).toEqual(['refused', 'newcomer'])
})

test('The last slot is kept while its request waits: a server that rejects everything gets one request at a time', async () => {
  const limiter = aLimiter(2)
  const slot = limiter.acquire([]) as Slot
  slot.overloaded()
  expect(limiter.limit).toBe(1)
  let endWait = () => {}
  const waiting = slot.waitOut(() => new Promise((resolve) => (endWait = resolve)))
  expect(limiter.acquire([])).toBeInstanceOf(Promise)
  endWait()
  await waiting
})

test('A wait that is aborted gives the slot up once, and only once', async () => {
  const limiter = aLimiter(2)
  const slot = limiter.acquire([]) as Slot
  await expect(slot.waitOut(() => Promise.reject(new Error('told to stop')))).rejects.toThrow('told to stop')
  slot.release()
  const first = limiter.acquire([])
  const second = limiter.acquire([])
  expect([first, second].filter((each) => each instanceof Promise)).toEqual([])
  expect(limiter.acquire([])).toBeInstanceOf(Promise)
})

test('Responses bring the limit back to the maximum, and no further', () => {
  const limiter = aLimiter(8)
  const [slot] = Array.from({ length: 4 }, () => limiter.acquire([]) as Slot)
  slot?.overloaded()
  for (let times = 0; times < 100; times++) slot?.answered('patch Ingress', 5)
  expect(limiter.limit).toBe(8)
})

test('The limiter begins with a few slots, and adds more while responses stay as quick as ever', () => {
  const limiter = new ConcurrencyLimiter({ name: 'test', max: 32, metrics: createMetrics('test') })
  expect(limiter.limit).toBe(16)
  const [slot] = Array.from({ length: 16 }, () => limiter.acquire([]) as Slot)
  for (let times = 0; times < 40; times++) slot?.answered('patch Ingress', 5)
  expect(limiter.limit).toBe(18)
})

test('Responses of one verb and kind do not count for another: a long list is no sign of overload', () => {
  const limiter = aLimiter(64)
  const [slot] = Array.from({ length: 64 }, () => limiter.acquire([]) as Slot)
  slot?.answered('patch Ingress', 5)
  for (let times = 0; times < 100; times++) slot?.answered('list Ingress', 200)
  expect(limiter.limit).toBe(64)
  for (let times = 0; times < 100; times++) slot?.answered('patch Ingress', 50)
  expect(limiter.limit).toBeLessThan(64)
})

test('No more requests are in flight than the limit when they started, and none waits beside a free slot', async () => {
  const steps = fc.array(fc.constantFrom('acquire', 'release', 'overloaded', 'answered'), { maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), steps, async (max, script) => {
      const limiter = aLimiter(max)
      const inside: Slot[] = []
      let waiting = 0
      for (const step of script) {
        if (step === 'acquire') {
          waiting += 1
          void Promise.resolve(limiter.acquire([])).then((slot) => {
            waiting -= 1
            inside.push(slot)
            expect(inside.length).toBeLessThanOrEqual(max)
          })
        } else if (step === 'release') inside.shift()?.release()
        else if (step === 'overloaded') {
          const slot = inside.shift()
          slot?.overloaded()
          void slot?.waitOut(() => Promise.resolve()).then(() => inside.push(slot))
        } else inside[0]?.answered('patch Ingress', 5)
        await Promise.resolve()
        await Promise.resolve()
        if (waiting > 0) expect(inside.length).toBeGreaterThanOrEqual(limiter.limit)
      }
    }),
  )
})
