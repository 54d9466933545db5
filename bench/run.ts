// `npm run bench [-- addresses|kube|sandbox]`: measures what is claimed, as ratios from one run on this machine, against the
// real thing. A table on the terminal, and bench/results/*.json.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { benchAddresses } from './addresses/addresses.ts'
import { benchKube } from './kube.ts'
import { benchSandbox } from './sandbox/sandbox.ts'
import { table } from './table.ts'

const suites = { addresses: benchAddresses, kube: benchKube, sandbox: benchSandbox }
type Suite = keyof typeof suites

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !Object.hasOwn(suites, name))
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(suites).join(', ')}.`)
  process.exit(1)
}

for (const name of (wanted.length > 0 ? wanted : Object.keys(suites)) as Suite[]) {
  const rows = await suites[name]()
  console.log(`\n${table(rows)}\n`)
  await mkdir('bench/results', { recursive: true })
  const result = { at: new Date().toISOString(), node: process.version, cores: cpus().length, rows }
  await writeFile(`bench/results/${name}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
  if (rows.some(({ ratio, bar }) => bar !== undefined && ratio < bar)) process.exitCode = 1
}
