import { describe, expect, test } from 'vitest'
import { cpu, mebibytesIn, memory } from './amounts.ts'

describe('an amount', () => {
  test.each([
    ['2048Mi', '2Gi'],
    ['1536Mi', '1536Mi'],
    ['2048Gi', '2Ti'],
    ['1Gi', '1Gi'],
  ])('An amount of memory, %s, is written as the API server does: %s', (given, written) => {
    expect(memory.parse(given)).toBe(written)
  })

  test.each([
    ['2000m', '2'],
    ['1500m', '1500m'],
    ['100m', '100m'],
    ['10000m', '10'],
    ['100000', '100000'],
    ['4', '4'],
  ])('An amount of CPU, %s, is written as the API server does: %s', (given, written) => {
    expect(cpu.parse(given)).toBe(written)
  })

  test.each(['0', '0m', '-1', '1.5', '1k', '', '100 m', '1000000m0', 'm'])(
    'An amount of CPU is refused when it is %j',
    (given) => {
      expect(() => cpu.parse(given)).toThrow('must be an amount of CPU such as 250m or 2')
    },
  )

  test('An amount of memory can be compared, whatever its unit', () => {
    expect(['1Ti', '2Gi', '1536Mi'].map(mebibytesIn)).toEqual([1_048_576, 2048, 1536])
  })
})
