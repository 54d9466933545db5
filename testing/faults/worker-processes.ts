import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Nodejs } from '../clusters/nodejs/image-nodejs.ts'
import type { Counts } from './summary.ts'

const v8Flags = [
  // Simulations are short-lived: room for the young, from the beginning, spares the collector most of its work.
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  // Each worker has a core: threads of its collector would take that of another.
  '--single-threaded-gc',
  // Faults make errors by the million, and their stacks are not needed; a replay shows them.
  '--stack-trace-limit=0',
]

/** What plays a part of a campaign. */
export interface Worker {
  readonly nodejs: Nodejs
  readonly file: string
  readonly args: readonly string[]
  readonly execArgv?: readonly string[]
}

/** Plays a part of a campaign in a process of its own, which sends messages and may be answered. */
export function playInProcess(
  { nodejs, file, args, execArgv = [] }: Worker,
  onMessage: (message: unknown, answer: (message: number) => void) => void,
): Promise<void> {
  const child = fork(file, args, { execPath: nodejs.path, execArgv: [...execArgv, ...v8Flags] })
  // A worker that has ended gets no answer; its exit reports it.
  const answer = (message: number) => void child.send(message, () => {})
  child.on('message', (message) => onMessage(message, answer))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
  })
}

/** For `.ci/run`, which adds up what all steps leave: one test for each row and kind of the summary. */
export function writeResults(campaign: string, counts: Counts): void {
  const directory = process.env['PORTCULLIS_RESULTS']
  if (directory === undefined) return
  const all = [...counts.values()]
  const results = {
    numPassedTests: all.filter(({ failed }) => failed === 0).length,
    numFailedTests: all.filter(({ failed }) => failed > 0).length,
    testResults: [],
  }
  writeFileSync(join(directory, `${campaign}-${process.pid}.json`), JSON.stringify(results))
}
