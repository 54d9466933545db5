import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Step, Story } from '../../sandbox/stories.ts'

export interface Stage {
  readonly print: (text: string) => void
  /** Runs a line as a person's shell would; gives all that it printed. */
  readonly run: (line: string) => Promise<string>
  readonly signal: AbortSignal
}

const patienceMs = 60_000
const betweenLooksMs = 250

/** Tells a story: each line, and what came of it. @throws when something else came of it than was told */
export async function play({ title, steps }: Story, stage: Stage): Promise<void> {
  stage.print(`\n── ${title}\n`)
  for (const step of steps) await playStep(step, stage)
}

async function playStep(step: Step, { print, run, signal }: Stage): Promise<void> {
  signal.throwIfAborted()
  print(`# ${step.say}\n$ ${step.run}`)
  const end = performance.now() + patienceMs
  let output = await run(step.run)
  while (step.looks && !step.shows.test(output) && performance.now() < end) {
    await pause(betweenLooksMs, undefined, { signal })
    output = await run(step.run)
  }
  print(output)
  if (!step.shows.test(output)) throw new Error(`The output does not match ${step.shows}.`)
}

/** A shell, as a person has it open. */
export function shell(env: Readonly<Record<string, string | undefined>>): Stage['run'] {
  return (line) =>
    new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', line], { env })
      let output = ''
      const read = (chunk: Buffer) => {
        output += chunk.toString()
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.once('error', reject)
      child.once('close', () => resolve(output))
    })
}
