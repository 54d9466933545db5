import { expect, test } from 'vitest'
import { reservedUse } from './reserved-ports.ts'

test('The use of each reserved port is named, and of no other', async () => {
  const ranges: { from: number; to: number; use: string }[] = []
  for (let port = 1; port <= 65_535; port++) {
    const use = reservedUse(port)
    const last = ranges.at(-1)
    if (use === undefined) continue
    if (last?.use === use && last.to === port - 1) last.to = port
    else ranges.push({ from: port, to: port, use })
  }
  const lines = ranges.map(({ from, to, use }) => `${from === to ? from : `${from}-${to}`} ${use}\n`)
  await expect(lines.join('')).toMatchFileSnapshot('reserved-ports.txt')
})
