import { expect, test } from 'vitest'
import { balancedShards } from './balanced-shards.ts'

const seconds: Readonly<Record<string, number>> = { a: 50, b: 30, c: 30, d: 10, e: 1 }
const shardsOf = (files: readonly string[], count: number) =>
  balancedShards(files, count, (file) => seconds[file] ?? 0)

test('Files are dealt so that all shards take about as long', () => {
  expect(shardsOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
    ['a', 'd', 'e'],
    ['b', 'c'],
  ])
})

test('Every file is in one shard, whatever the order in which they come', () => {
  expect(shardsOf(['e', 'd', 'c', 'b', 'a'], 3)).toEqual(shardsOf(['a', 'b', 'c', 'd', 'e'], 3))
  expect(new Set(shardsOf(['a', 'b', 'c', 'd', 'e'], 3).flat())).toEqual(new Set(Object.keys(seconds)))
})
