import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Step, Story } from '../../sandbox/stories.ts'

export interface PlayOptions {
  readonly print: (text: string) => void
  /** Runs a command line in a shell; resolves with what it printed. */
  readonly run: (line: string) => Promise<string>
  readonly signal: AbortSignal
}

const stepTimeoutMs = 60_000
const pollIntervalMs = 250

/** Prints each step of a story, runs its command and prints the output. @throws when the output is not what the step shows */
export async function play({ title, steps }: Story, options: PlayOptions): Promise<void> {
  options.print(`\n── ${title}\n`)
  for (const step of steps) await playStep(step, options)
}

async function playStep(step: Step, { print, run, signal }: PlayOptions): Promise<void> {
  signal.throwIfAborted()
  print(`# ${step.comment}\n$ ${step.command}`)
  const end = performance.now() + stepTimeoutMs
  let output = await run(step.command)
  while (step.readsOnly && !step.expected.test(output) && performance.now() < end) {
    await pause(pollIntervalMs, undefined, { signal })
    output = await run(step.command)
  }
  print(output)
  if (!step.expected.test(output)) throw new Error(`The output does not match ${step.expected}.`)
}

/** Runs command lines with `/bin/sh`. */
export function shell(env: Readonly<Record<string, string | undefined>>): PlayOptions['run'] {
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
