// `npm run bench [-- addresses|controllers|…]`: measures what is claimed, as ratios from one run on this machine, against
// the real thing. Tables on the terminal, and bench/results/*.json, of which docs/performance.md is written.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { imageNodejs, type Nodejs } from '../testing/clusters/nodejs/image-nodejs.ts'
import { runOn } from '../testing/clusters/nodejs/run-on.ts'
import { benchAddresses } from './addresses/addresses.ts'
import { benchControllers } from './controllers/controllers.ts'
import { benchHandOver } from './hand-over/hand-over.ts'
import { benchIdle } from './idle/idle.ts'
import { benchKube } from './kube.ts'
import { logProgress } from './progress.ts'
import { benchSandbox } from './sandbox/sandbox.ts'
import { benchScope } from './scope/scope.ts'
import { growthTable, type Measured, type Row, table } from './table.ts'

type Bench = () => Promise<Measured | Row[]>

/** The operator runs in the image, and is measured on the Node that it has; client and sandbox run on people's machines. */
const suites: Readonly<Record<string, { readonly on: 'image' | 'installed'; readonly bench: Bench }>> = {
  addresses: { on: 'image', bench: benchAddresses },
  'hand-over': { on: 'image', bench: benchHandOver },
  scope: { on: 'image', bench: benchScope },
  controllers: { on: 'image', bench: benchControllers },
  idle: { on: 'image', bench: benchIdle },
  kube: { on: 'installed', bench: benchKube },
  sandbox: { on: 'installed', bench: benchSandbox },
}

const [, script = '', ...names] = process.argv
const unknown = names.find((name) => !Object.hasOwn(suites, name))
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(suites).join(', ')}.`)
  process.exit(1)
}
const wanted = Object.entries(suites).filter(([name]) => names.length === 0 || names.includes(name))
const installed: Nodejs = { version: process.versions.node, path: process.execPath }
const ofTheImage = wanted.some(([, { on }]) => on === 'image') ? await imageNodejs(logProgress) : installed

for (const [name, { on, bench }] of wanted) {
  if (on === 'image' && ofTheImage.path !== installed.path) {
    if ((await runOn(ofTheImage, [script, name])) !== 0) process.exitCode = 1
    continue
  }
  logProgress(`── ${name} ──`)
  const measured = await bench()
  const { rows, growth } = 'rows' in measured ? measured : { rows: measured, growth: undefined }
  console.log(`\n${table(rows)}\n`)
  if (growth !== undefined) console.log(`${growthTable(growth)}\n`)
  await mkdir('bench/results', { recursive: true })
  const environment = { at: new Date().toISOString(), node: process.version, cores: cpus().length }
  const result = { ...environment, rows, ...(growth && { growth }) }
  await writeFile(`bench/results/${name}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
  if (rows.some(({ ratio, bar }) => bar !== undefined && ratio < bar)) process.exitCode = 1
}
