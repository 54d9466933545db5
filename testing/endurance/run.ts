// `npm run endurance`: the whole operator on a real control plane, full and busy, through failures. See --help.
import { parseArgs } from 'node:util'
import { type EnduranceReport, endure } from './endurance.ts'
import { growthOf, type HeapGrowth } from './heap-growth.ts'
import { type EnduranceOptions, fullSize } from './options.ts'

const numbers = {
  ingresses: fullSize.ingresses,
  controllers: fullSize.controllers,
  nodes: fullSize.nodes,
  operators: fullSize.operators,
  minutes: fullSize.churnMinutes,
  changes: fullSize.changesPerMinute,
  restarts: fullSize.apiServerRestarts,
  kills: fullSize.leaderKills,
  seed: fullSize.seed,
} as const
type Flag = keyof typeof numbers

const help = `npm run endurance -- [--FLAG N …]
  fills a real control plane, lets users, nodes and the cloud work on it for a while, restarts the API server and kills
  leaders meanwhile, and compares what is left with a fresh decision on it

${Object.entries(numbers)
  .map(([flag, value]) => `  --${flag} N`.padEnd(20) + `(${value})`)
  .join('\n')}

Exit code: 0 if nothing was lost or stuck, and the heap of the process that leads from the third minute to the last has
grown by no more than 10 %; else 1.`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    ...(Object.fromEntries(Object.keys(numbers).map((flag) => [flag, { type: 'string' }])) as Record<
      Flag,
      { type: 'string' }
    >),
  },
})

const flag = (name: Flag) => Number(values[name] ?? numbers[name])
const begun = performance.now()
const say = (line: string) => console.log(`[${((performance.now() - begun) / 1000).toFixed(0)} s] ${line}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

if (values.help) console.log(help)
else process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  const options: EnduranceOptions = {
    ...fullSize,
    ingresses: flag('ingresses'),
    controllers: flag('controllers'),
    nodes: flag('nodes'),
    operators: flag('operators'),
    churnMinutes: flag('minutes'),
    changesPerMinute: flag('changes'),
    apiServerRestarts: flag('restarts'),
    leaderKills: flag('kills'),
    seed: flag('seed'),
  }
  const report = await endure(options, say)
  const growth = growthOf(report.heap, options.churnMinutes)
  console.log(`\n${tableOf(report, growth)}`)
  for (const problem of report.problems.slice(0, 30)) console.log(`  ${problem.slice(0, 500)}`)
  return report.problems.length === 0 && growth.problem === undefined
}

function tableOf(report: EnduranceReport, growth: HeapGrowth): string {
  const { changes, convergedAfterSeconds, settledAfterSeconds, withoutLeaderSeconds, restartSeconds } = report
  const total = Object.values(changes).reduce((sum, count) => sum + count, 0)
  const list = (seconds: readonly number[]) => seconds.map((each) => each.toFixed(1)).join(', ') || 'none'
  return [
    `from the start of the operators to rest: ${convergedAfterSeconds.toFixed(0)} s`,
    `changes: ${total}`,
    `API server away (s): ${list(restartSeconds)}`,
    `without a leader (s): ${list(withoutLeaderSeconds)}`,
    `from the last change to rest: ${settledAfterSeconds.toFixed(0)} s`,
    `heap of the leader (MB, by minute): ${report.heap.map(({ minute, megabytes }) => `${minute}: ${megabytes.toFixed(1)}`).join(', ')}`,
    `heap, last minute against third: ${growth.text}`,
    ...(growth.problem === undefined ? [] : [growth.problem]),
    `errors logged: ${report.errors.length}${report.errors.length === 0 ? '' : `, such as: ${report.errors[0]}`}`,
    `not as it should be: ${report.problems.length}`,
  ].join('\n')
}
