import { expect, test } from 'vitest'
import { endure } from './endurance.ts'
import { fullSize } from './options.ts'

test('A small busy cluster survives API server restarts and a killed leader with nothing lost or stuck', async () => {
  const said: string[] = []
  const report = await endure(
    {
      ...fullSize,
      ingresses: 200,
      controllers: 10,
      nodes: 12,
      operators: 2,
      churnMinutes: 0.4,
      changesPerMinute: 300,
      leaderKills: 1,
      program: ['--import', 'tsx', 'packages/cli/src/main.ts'],
    },
    (line) => said.push(line),
  )
  expect(report.problems, said.join('\n')).toEqual([])
  expect(report.restartSeconds).toHaveLength(2)
  expect(report.withoutLeaderSeconds).toHaveLength(1)
  expect(Object.values(report.changes).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100)
  expect(report.heap.length).toBeGreaterThan(0)
}, 600_000)
