// `npm run check`: everything about the code that can be judged without running it.
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

/** The npm scripts `check:…`, and how to mend what each finds where a command can. */
const checks = [
  { name: 'types', remedy: undefined },
  { name: 'lint', remedy: undefined },
  { name: 'format', remedy: 'npx biome check --write .' },
  { name: 'unused', remedy: undefined },
  { name: 'generated', remedy: 'npm run generate' },
  { name: 'architecture', remedy: undefined },
  { name: 'links', remedy: undefined },
  { name: 'expressions', remedy: undefined },
  { name: 'licences', remedy: undefined },
  { name: 'audit', remedy: 'npm audit fix, or a version without it' },
]

interface CheckResult {
  readonly passed: boolean
  readonly output: string
  readonly seconds: number
}

function run(name: string): Promise<CheckResult> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', `check:${name}`], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code) => {
      resolve({ passed: code === 0, output, seconds: (performance.now() - start) / 1000 })
    })
  })
}

/** Two at a time: more would wait for each other on a small machine. */
const atOnce = 2

const waiting = [...checks]
let failed = 0

async function runInTurn(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { name, remedy } = check
    const { passed, output, seconds } = await run(name)
    console.log(`${passed ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`)
    if (passed) {
      // What could not be judged here is worth a line.
      if (name === 'audit' && output !== '') console.log(`  ${output.trim()}`)
      continue
    }
    failed += 1
    console.log(output.trimEnd())
    if (remedy !== undefined) console.log(`To mend it: ${remedy}`)
  }
}

console.log(`Checking ${checks.map(({ name }) => name).join(', ')} …`)
await Promise.all(Array.from({ length: atOnce }, runInTurn))

const results = process.env['PORTCULLIS_RESULTS'] // Where .ci/run adds up what passed and failed.
if (results !== undefined) {
  const counts = { numPassedTests: checks.length - failed, numFailedTests: failed }
  await writeFile(join(results, 'check.json'), JSON.stringify(counts))
}
process.exitCode = failed === 0 ? 0 : 1
