// `npm run proof`: every campaign at full size, and the suites that have a larger size. What each comes to is kept in testing/proof/results, from which
// `npm run generate` writes the figures in docs/reliability.md.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { figuresIn, type Proof, proofs, wasSkipped } from './proofs.ts'
import { writeResult } from './results.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
})

const help = `npm run proof [-- NAME…]
  plays every campaign at full size, and the suites that have a larger size, or only those named, one after the other
  (about an hour and a half on two cores); needs what the control plane needs (Go 1.26). Then run npm run generate, which writes the figures in
  docs/reliability.md.

${proofs.map(({ name, claim }) => `  ${name.padEnd(14)}${claim}`).join('\n')}`

interface Run {
  readonly passed: boolean
  readonly output: string
  readonly minutes: number
}

/** Runs an npm script, shows what it prints and keeps it. */
function play(proof: Proof): Promise<Run> {
  const begun = performance.now()
  const child = spawn('npm', ['run', '--silent', proof.script, '--', ...(proof.arguments ?? [])], {
    env: { ...process.env, ...proof.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Ctrl-C reaches the child as well; a signal to this process alone means all of it.
  const end = () => child.kill('SIGTERM')
  process.once('SIGTERM', end)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    process.stdout.write(chunk)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('SIGTERM', end)
      resolve({ passed: code === 0, output, minutes: (performance.now() - begun) / 60_000 })
    })
  })
}

async function prove(proof: Proof): Promise<string | undefined> {
  console.log(`\n== ${proof.name}: ${proof.claim}`)
  const { passed, output, minutes } = await play(proof)
  if (!passed) return `${proof.name} failed after ${minutes.toFixed(1)} minutes`
  if (wasSkipped(output)) {
    console.log(`${proof.name} cannot be played on this machine; its last figures stay.`)
    return undefined
  }
  const figures = figuresIn(output, proof)
  if (figures.length < proof.figures.length)
    return `${proof.name} passed, but did not print all of its figures: see testing/proof/proofs.ts`
  await writeResult(proof.name, {
    on: new Date().toISOString().slice(0, 10),
    minutes: Number(minutes.toFixed(1)),
    cores: availableParallelism(),
    node: process.version,
    figures,
  })
  return undefined
}

async function main(): Promise<boolean> {
  const unknown = positionals.filter((name) => !proofs.some((proof) => proof.name === name))
  if (unknown.length > 0) {
    console.error(
      `There is no proof "${unknown.join('", "')}". There are: ${proofs.map(({ name }) => name).join(', ')}.`,
    )
    return false
  }
  const chosen = positionals.length === 0 ? proofs : proofs.filter(({ name }) => positionals.includes(name))
  const problems: string[] = []
  for (const proof of chosen) {
    const problem = await prove(proof)
    if (problem !== undefined) problems.push(problem)
  }
  console.log(`\n${chosen.length - problems.length} of ${chosen.length} passed`)
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

if (options.help) console.log(help)
else process.exitCode = (await main()) ? 0 : 1
