import { expect, test } from 'vitest'
import { growthOf } from './heap-growth.ts'

const weighed = (...samples: readonly (readonly [minute: number, pid: number, megabytes: number])[]) =>
  samples.map(([minute, pid, megabytes]) => ({ minute, pid, megabytes }))

test('The heap of one leader may grow by a tenth from the third minute to the last', () => {
  const before = [
    [1, 7, 40],
    [2, 8, 50],
  ] as const
  expect(growthOf(weighed(...before, [3, 9, 60], [4, 9, 90], [10, 9, 65]), 10)).toEqual({ text: '8.3 %' })
  expect(growthOf(weighed(...before, [3, 9, 60], [10, 9, 67]), 10).problem).toContain('more than 10 %')
})

test('The heaps of two different leaders are not compared', () => {
  const { problem } = growthOf(weighed([3, 8, 60], [10, 9, 60]), 10)
  expect(problem).toMatch(
    /leader of minute 3 \(process 8\) is not the one of minute 10 \(process 9\): a leak would not be seen/,
  )
})

test('A short run measures no heap growth, and a long one must', () => {
  expect(growthOf(weighed([0.4, 9, 60]), 0.4)).toEqual({ text: 'too short to measure' })
  expect(growthOf(weighed([1, 9, 60]), 10).problem).toContain('weighed only 1 times')
})
