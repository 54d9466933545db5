import { execFile } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import {
  type Clock,
  environmentOf,
  type OperatorOptions,
  runOperator,
  silentLogger,
  stopOnSignals,
  systemClock,
} from '@portcullis/kube'
import { pino } from 'pino'
import { type ClusterChoice, type Connection, connect } from '../connection/connect.ts'
import { type Progress, progressOn } from './progress.ts'
import { logLinesTo } from './terminal-output.ts'

/** All that a command has of the process that it runs in. Tests pass one of their own: `testing/captured-io.ts`. */
export interface CommandIO {
  /** Prints a line, or several, of the result to standard output. */
  print(text: string): void
  /** Prints a line, or several, to standard error. */
  printError(text: string): void
  /** Prints the result anew: on a terminal in place of what was there before, elsewhere below it. */
  redraw(text: string): void
  /** Shows on standard error which step of a long command is running. */
  readonly progress: Progress
  /** Whether the result is shown on a terminal, where it can be drawn again. */
  readonly isTerminal: boolean
  /** Whether the result may have colours. */
  readonly colours: boolean
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly random: () => number
  /** `stop` aborts on Ctrl-C or SIGTERM, and when nobody reads standard output any more. */
  untilInterrupted(): { readonly stop: AbortSignal; readonly release: () => void }
  /** Sets the exit code that the process ends with once the command is done. */
  exitWith(code: number): void
  /** Connects to a cluster; commands call `withCluster`, which closes the connection again. */
  connect(choice: ClusterChoice): Promise<Connection>
  /** Runs a program and returns what it prints. */
  runProgram(program: string, args: readonly string[]): Promise<string>
  /** Runs an operator until it is stopped, with its log on standard output. */
  runOperator(options: Omit<OperatorOptions, 'process' | 'log'>, logLevel: string): Promise<void>
}

/** What a command gets of a real process. Its texts are not sanitized yet: `sanitized` in terminal-output.ts does it. */
export function commandIO(process: NodeJS.Process): CommandIO {
  const { stdin, stdout, stderr, env } = process
  const print = (text: string) => void stdout.write(`${text}\n`)
  return {
    print,
    printError: (text) => void stderr.write(`${text}\n`),
    redraw: (text) => print(stdout.isTTY ? `\u001b[H\u001b[2J${text}` : text),
    progress: progressOn(stderr, systemClock),
    isTerminal: stdout.isTTY,
    // https://no-color.org: any value but the empty one.
    colours: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    ask: stdin.isTTY && stdout.isTTY ? (question, signal) => askAt(process, question, signal) : undefined,
    readInput: () => buffer(stdin),
    env,
    clock: systemClock,
    random: Math.random,
    untilInterrupted: () => stopOnSignals(process, silentLogger),
    exitWith: (code) => {
      process.exitCode = code
    },
    connect: (choice) => connect(choice, environmentOf(process)),
    runProgram: async (program, args) => (await promisify(execFile)(program, [...args])).stdout,
    runOperator: (options, level) =>
      runOperator({ ...options, process, log: pino({ level }, logLinesTo(stdout)) }),
  }
}

async function askAt(
  { stdin, stdout }: NodeJS.Process,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stdout })
  const interrupted = new AbortController()
  lines.once('SIGINT', () => interrupted.abort(new Error('interrupted')))
  try {
    return await lines.question(question, { signal: AbortSignal.any([signal, interrupted.signal]) })
  } finally {
    lines.close()
  }
}
