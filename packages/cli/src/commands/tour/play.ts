import { sleep } from '@portcullis/kube'
import type { CommandIO } from '../../io/command-io.ts'
import type { Step, Story } from '../../sandbox/stories.ts'

export interface PlayOptions {
  readonly io: Pick<CommandIO, 'print' | 'clock'>
  /** Runs a command line in a shell; resolves with what it printed. */
  readonly run: (line: string) => Promise<string>
  readonly signal: AbortSignal
}

const stepTimeoutMs = 60_000
const pollIntervalMs = 250

/** Prints each step of a story, runs its command and prints the output. @throws when the output is not what the step shows */
export async function play({ title, steps }: Story, options: PlayOptions): Promise<void> {
  options.io.print(`\n── ${title}\n`)
  for (const step of steps) await playStep(step, options)
}

async function playStep(step: Step, { io, run, signal }: PlayOptions): Promise<void> {
  signal.throwIfAborted()
  io.print(`# ${step.comment}\n$ ${step.command}`)
  const end = io.clock.monotonic() + stepTimeoutMs
  let output = await run(step.command)
  while (step.readsOnly && !step.expected.test(output) && io.clock.monotonic() < end) {
    await sleep(io.clock, pollIntervalMs, signal)
    output = await run(step.command)
  }
  io.print(output)
  if (!step.expected.test(output)) throw new Error(`The output does not match ${step.expected}.`)
}

/** Runs command lines with `/bin/sh`; both of their outputs come back, and whether they fail does not matter. */
export function shell({ env, runProgram }: Pick<CommandIO, 'env' | 'runProgram'>): PlayOptions['run'] {
  return (line) => runProgram('/bin/sh', ['-c', `exec 2>&1\n${line}\nexit 0`], { env })
}
