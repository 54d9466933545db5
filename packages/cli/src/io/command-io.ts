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

/** The access of a command to the process that it runs in. Tests replace it by `testing/captured-io.ts`. */
export interface CommandIO {
  /** Prints a line, or several, of the result to standard output. */
  print(text: string): void
  /** Prints a line, or several, to standard error. */
  printError(text: string): void
  /** Prints the result again: on a terminal it replaces the previous one, elsewhere it follows it. */
  redraw(text: string): void
  /** Shows on standard error which step of a long command is running. */
  readonly progress: Progress
  /**
   * The same on standard output, for a command whose steps are its result: each is a write that fails where nobody reads
   * any more, and so stops the command before it does more.
   */
  readonly steps: Progress
  /** Whether standard output is a terminal, where the result can be redrawn. */
  readonly isTerminal: boolean
  /** Whether the result may have colours. */
  readonly colours: boolean
  /** Asks the user at the terminal; undefined if there is no terminal. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly random: () => number
  /** `stop` aborts on Ctrl-C or SIGTERM, and when standard output is closed. */
  untilInterrupted(): { readonly stop: AbortSignal; readonly release: () => void }
  /** Sets the exit code that the process ends with once the command is done. */
  exitWith(code: number): void
  /** Connects to a cluster; commands call `withCluster`, which closes the connection again. */
  connect(choice: ClusterChoice): Promise<Connection>
  /** Runs a program and returns what it prints to standard output; its environment is that of this process by default. */
  runProgram(
    program: string,
    args: readonly string[],
    options?: { readonly env?: CommandIO['env'] },
  ): Promise<string>
  /** Runs an operator until it is stopped, with its log on standard output. */
  runOperator(options: Omit<OperatorOptions, 'process' | 'log'>, logLevel: string): Promise<void>
}

/** The IO of a real process. It prints texts as they are: wrap it in `sanitized` of terminal-output.ts. */
export function commandIO(process: NodeJS.Process): CommandIO {
  const { stdin, stdout, stderr, env } = process
  const print = (text: string) => void stdout.write(`${text}\n`)
  return {
    print,
    printError: (text) => void stderr.write(`${text}\n`),
    redraw: (text) => print(stdout.isTTY ? `\u001b[H\u001b[2J${text}` : text),
    progress: progressOn(stderr, systemClock),
    steps: progressOn(stdout, systemClock),
    isTerminal: stdout.isTTY,
    // https://no-color.org: any value except the empty string.
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
    runProgram: async (program, args, options) =>
      (await promisify(execFile)(program, [...args], { encoding: 'utf8', ...options })).stdout,
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
