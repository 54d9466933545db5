// `npm run bench [-- addresses|controllers|…]`: measures what is claimed, as ratios from one run on this machine, against
// the real thing. Tables on the terminal, and bench/results/*.json, of which docs/performance.md is written.
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { imageNodejs } from '../test/clusters/nodejs/image-nodejs.ts'
import { benchAddresses } from './addresses/addresses.ts'
import { benchControllers } from './controllers/controllers.ts'
import { benchHandOver } from './hand-over/hand-over.ts'
import { benchIdle } from './idle/idle.ts'
import { benchKube } from './kube.ts'
import { benchSandbox } from './sandbox/sandbox.ts'
import { say } from './say.ts'
import { benchScope } from './scope/scope.ts'
import { growthTable, type Measured, type Row, table } from './table.ts'

const suites: Readonly<Record<string, () => Promise<Measured | Row[]>>> = {
  addresses: benchAddresses,
  'hand-over': benchHandOver,
  scope: benchScope,
  controllers: benchControllers,
  idle: benchIdle,
  kube: benchKube,
  sandbox: benchSandbox,
}

/** The operator runs in the image, and is measured on the Node that it has. Client and sandbox run on people's machines. */
const ofTheOperator = ['addresses', 'hand-over', 'scope', 'controllers', 'idle']

const [, script = '', ...wanted] = process.argv
const unknown = wanted.find((name) => !Object.hasOwn(suites, name))
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(suites).join(', ')}.`)
  process.exit(1)
}

for (const [name, bench] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const nodejs = ofTheOperator.includes(name) ? (await imageNodejs(say)).path : process.execPath
  if (nodejs !== process.execPath) {
    const { status } = spawnSync(nodejs, [...process.execArgv, script, name], { stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
    continue
  }
  say(`── ${name} ──`)
  const measured = await bench()
  const { rows, growth } = 'rows' in measured ? measured : { rows: measured, growth: undefined }
  console.log(`\n${table(rows)}\n`)
  if (growth !== undefined) console.log(`${growthTable(growth)}\n`)
  await mkdir('bench/results', { recursive: true })
  const surroundings = { at: new Date().toISOString(), node: process.version, cores: cpus().length }
  const result = { ...surroundings, rows, ...(growth && { growth }) }
  await writeFile(`bench/results/${name}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
  if (rows.some(({ ratio, bar }) => bar !== undefined && ratio < bar)) process.exitCode = 1
}
