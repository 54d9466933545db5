import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { Pacer, type Place } from './concurrency-limiter.ts'

const aPacer = (max: number) => new Pacer({ name: 'test', max, start: max, metrics: createMetrics() })

test('a place that is free is given at once', () => {
  expect(aPacer(1).enter([])).not.toBeInstanceOf(Promise)
})

test('who finds no place waits, in order of arrival', async () => {
  const pacer = aPacer(1)
  const first = pacer.enter([]) as Place
  const order: string[] = []
  const second = Promise.resolve(pacer.enter([])).then((place) => {
    order.push('second')
    place.leave()
  })
  const third = Promise.resolve(pacer.enter([])).then((place) => {
    order.push('third')
    place.leave()
  })
  first.leave()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('who gives up waiting takes no place', async () => {
  const pacer = aPacer(1)
  const first = pacer.enter([]) as Place
  const controller = new AbortController()
  const waiting = Promise.resolve(pacer.enter([controller.signal]))
  controller.abort(new Error('no longer needed'))
  await expect(waiting).rejects.toThrow('no longer needed')
  first.leave()
  expect(pacer.enter([])).not.toBeInstanceOf(Promise)
})

test('an overload halves the limit once, however many requests in flight are told of it', () => {
  const pacer = aPacer(16)
  const places = Array.from({ length: 16 }, () => pacer.enter([]) as Place)
  for (const place of places) place.overloaded()
  expect(pacer.limit).toBe(8)
})

test('who is turned away again after having waited halves it again, down to one', async () => {
  const pacer = aPacer(8)
  const place = pacer.enter([]) as Place
  for (let times = 0; times < 10; times++) {
    place.overloaded()
    await place.waitOut(async () => {})
  }
  expect(pacer.limit).toBe(1)
})

test('who waits out a refusal leaves its place to others, and is the first to get one back', async () => {
  const pacer = aPacer(4)
  const places = Array.from({ length: 4 }, () => pacer.enter([]) as Place)
  const [refused, ...others] = places
  const order: string[] = []
  refused?.overloaded()
  let endWait = () => {}
  const returning = refused
    ?.waitOut(() => new Promise((resolve) => (endWait = resolve)))
    .then(() => order.push('refused'))
  const newcomer = Promise.resolve(pacer.enter([])).then(() => order.push('newcomer'))
  endWait()
  await Promise.resolve()
  await Promise.resolve()
  for (const place of others) place.leave()
  await Promise.all([returning, newcomer])
  expect(order).toEqual(['refused', 'newcomer'])
})

test('the last place is kept while its request waits: a server that turns all away is asked once in a while', async () => {
  const pacer = aPacer(2)
  const place = pacer.enter([]) as Place
  place.overloaded()
  expect(pacer.limit).toBe(1)
  let endWait = () => {}
  const waiting = place.waitOut(() => new Promise((resolve) => (endWait = resolve)))
  expect(pacer.enter([])).toBeInstanceOf(Promise)
  endWait()
  await waiting
})

test('a wait that is broken off gives the place up once, and only once', async () => {
  const pacer = aPacer(2)
  const place = pacer.enter([]) as Place
  await expect(place.waitOut(() => Promise.reject(new Error('told to stop')))).rejects.toThrow('told to stop')
  place.leave()
  const first = pacer.enter([])
  const second = pacer.enter([])
  expect([first, second].filter((each) => each instanceof Promise)).toEqual([])
  expect(pacer.enter([])).toBeInstanceOf(Promise)
})

test('answers bring the limit back to the maximum, and no further', () => {
  const pacer = aPacer(8)
  const [place] = Array.from({ length: 4 }, () => pacer.enter([]) as Place)
  place?.overloaded()
  for (let times = 0; times < 100; times++) place?.answered('patch Ingress', 5)
  expect(pacer.limit).toBe(8)
})

test('begins with a few, and takes more while answers come as quickly as ever', () => {
  const pacer = new Pacer({ name: 'test', max: 32, metrics: createMetrics() })
  expect(pacer.limit).toBe(16)
  const [place] = Array.from({ length: 16 }, () => pacer.enter([]) as Place)
  for (let times = 0; times < 40; times++) place?.answered('patch Ingress', 5)
  expect(pacer.limit).toBe(18)
})

test('answers of one kind say nothing about those of another: a long list is no sign of overload', () => {
  const pacer = aPacer(64)
  const [place] = Array.from({ length: 64 }, () => pacer.enter([]) as Place)
  place?.answered('patch Ingress', 5)
  for (let times = 0; times < 100; times++) place?.answered('list Ingress', 200)
  expect(pacer.limit).toBe(64)
  for (let times = 0; times < 100; times++) place?.answered('patch Ingress', 50)
  expect(pacer.limit).toBeLessThan(64)
})

test('never more in flight than the limit was when they entered, and nobody waits beside a free place', async () => {
  const steps = fc.array(fc.constantFrom('enter', 'leave', 'overloaded', 'answered'), { maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), steps, async (max, script) => {
      const pacer = aPacer(max)
      const inside: Place[] = []
      let waiting = 0
      for (const step of script) {
        if (step === 'enter') {
          waiting += 1
          void Promise.resolve(pacer.enter([])).then((place) => {
            waiting -= 1
            inside.push(place)
            expect(inside.length).toBeLessThanOrEqual(max)
          })
        } else if (step === 'leave') inside.shift()?.leave()
        else if (step === 'overloaded') {
          const place = inside.shift()
          place?.overloaded()
          void place?.waitOut(() => Promise.resolve()).then(() => inside.push(place))
        } else inside[0]?.answered('patch Ingress', 5)
        await Promise.resolve()
        await Promise.resolve()
        if (waiting > 0) expect(inside.length).toBeGreaterThanOrEqual(pacer.limit)
      }
    }),
  )
})
