import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PageSize } from './page-size.ts'

const mebibyte = 1024 * 1024

test('Pages of small objects grow up to 500, pages of large ones shrink', () => {
  const size = new PageSize()
  expect(size.limit).toBe(100)
  size.adapt(100, 50_000)
  expect(size.limit).toBe(400)
  size.adapt(400, 200_000)
  expect(size.limit).toBe(500)
  size.adapt(500, 3 * mebibyte)
  expect(size.limit).toBe(166)
})

test('A page size given by the caller is never exceeded', () => {
  const size = new PageSize(20)
  expect(size.limit).toBe(20)
  size.adapt(20, 1000)
  expect(size.limit).toBe(20)
})

test('A page that was too long is asked for again with fewer objects, down to one', () => {
  const size = new PageSize()
  const limits = [size.limit]
  while (size.shrink()) limits.push(size.limit)
  expect(limits).toEqual([100, 12, 1])
  expect(size.maxBytes).toBeUndefined()
})

test('A list in one piece has a bound too, and cannot be made smaller', () => {
  const size = new PageSize(0)
  size.adapt(1000, 10 * mebibyte)
  expect(size.limit).toBe(0)
  expect(size.maxBytes).toBe(8 * mebibyte)
  expect(size.shrink()).toBe(false)
})

test('A page of several objects may have four mebibytes, a list in one piece eight, and one object any length', () => {
  const bounds = [new PageSize(), new PageSize(2), new PageSize(0), new PageSize(1)].map(
    ({ maxBytes }) => maxBytes,
  )
  expect(bounds).toEqual([4 * mebibyte, 4 * mebibyte, 8 * mebibyte, undefined])
})

test.each([
  { came: 'nothing', objects: 0, bytes: 20, next: 100 },
  { came: 'a mebibyte', objects: 100, bytes: mebibyte, next: 100 },
  { came: 'a little more than a mebibyte', objects: 100, bytes: mebibyte + 1, next: 99 },
  { came: 'an object that is longer than a page', objects: 1, bytes: 2 * mebibyte, next: 1 },
  { came: 'one small object', objects: 1, bytes: 100, next: 400 },
])('After a page of 100 in which $came was, the next has $next', ({ objects, bytes, next }) => {
  const size = new PageSize()
  size.adapt(objects, bytes)
  expect(size.limit).toBe(next)
})

test.each([
  { limit: 500, next: 62, shrinks: true },
  { limit: 8, next: 1, shrinks: true },
  { limit: 2, next: 1, shrinks: true },
  { limit: 1, next: 1, shrinks: false },
])('A page of $limit that was too long becomes one of $next', ({ limit, next, shrinks }) => {
  const size = new PageSize(limit)
  expect(size.shrink()).toBe(shrinks)
  expect(size.limit).toBe(next)
})

test('Whatever the sizes of objects and their order, every one is listed, and no page but one of a single object is long', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 300, max: 5000 }), fc.integer({ min: 1, max: 1.5 * mebibyte })),
    {
      maxLength: 2000,
    },
  )
  fc.assert(
    fc.property(sizes, (objects) => {
      const size = new PageSize()
      let at = 0
      for (let requests = 0; at < objects.length; requests++) {
        expect(requests).toBeLessThan(4 * objects.length + 10)
        const page = objects.slice(at, at + size.limit)
        const bytes = page.reduce((sum, each) => sum + each, 0)
        if (bytes > (size.maxBytes ?? Number.POSITIVE_INFINITY)) expect(size.shrink()).toBe(true)
        else {
          at += page.length
          size.adapt(page.length, bytes)
        }
      }
    }),
  )
})
