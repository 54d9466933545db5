import { expect, test } from 'vitest'
import { Scrape } from './scrape.ts'

test('A reading that takes longer than a second is shared by all scrapes meanwhile', async () => {
  const readings: { readonly resolve: (text: string) => void }[] = []
  const registry = { metrics: () => new Promise<string>((resolve) => void readings.push({ resolve })) }
  let now = 0
  const scrape = new Scrape(registry, { monotonic: () => now })
  const first = scrape.read()
  now = 5_000
  const second = scrape.read()
  expect(readings).toHaveLength(1)
  readings[0]?.resolve('as it is')
  expect(await Promise.all([first, second])).toEqual(['as it is', 'as it is'])
  const third = scrape.read()
  readings[1]?.resolve('as it is now')
  expect(await third).toBe('as it is now')
})

test('After a reading that fails, the next second has another', async () => {
  let now = 0
  let readings = 0
  const metrics = () => Promise.reject(new Error(`reading ${++readings}`))
  const scrape = new Scrape({ metrics }, { monotonic: () => now })
  await expect(scrape.read()).rejects.toThrow('reading 1')
  await expect(scrape.read()).rejects.toThrow('reading 1')
  now = 1_000
  await expect(scrape.read()).rejects.toThrow('reading 2')
})
