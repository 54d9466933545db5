import { createInterface } from 'node:readline/promises'
import { type Clock, type KubeApi, silentLogger, stopOnSignals, systemClock } from '@portcullis/kube'
import { type ClusterChoice, connect } from '../connection/connect.ts'

/** A cluster that is being talked to. */
export type Connection = KubeApi & { close(): Promise<void> }

/** All that commands have of the world that they run in. */
export interface CommandIO {
  /** A line, or several, for whoever reads the result. */
  print(text: string): void
  /** A line for a person who watches, beside the result. */
  tell(text: string): void
  /** Shows this in place of what was shown before, on a terminal; elsewhere it is printed. */
  redraw(text: string): void
  /** Tells what is going on just now: in place on a terminal, elsewhere a line whenever it is something else. */
  progress(text: string, elapsedMs: number): void
  endProgress(): void
  /** Whether the result is shown on a terminal, where it can be drawn again. */
  readonly isTerminal: boolean
  /** Whether the result may have colours. */
  readonly colours: boolean
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined
  connect(choice: ClusterChoice): Promise<Connection>
  /** All of standard input. */
  readInput(): Promise<string>
  /** Aborts on Ctrl-C, and where nobody reads along any more. */
  untilInterrupted(): { readonly stop: AbortSignal; readonly release: () => void }
  exitWith(code: number): void
  readonly clock: Clock
}

/** The world of a process, on a terminal or in a pipe. */
export function commandIO(process: NodeJS.Process, print: (text: string) => void = console.log): CommandIO {
  const { stdin, stdout, stderr, env } = process
  return {
    print,
    tell: (text) => void stderr.write(`${text}\n`),
    redraw: (text) => print(stdout.isTTY ? `\u001b[H\u001b[2J${text}` : text),
    ...progressOn(stdout, print),
    isTerminal: stdout.isTTY,
    // https://no-color.org: any value but the empty one.
    colours: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    ask: stdin.isTTY && stdout.isTTY ? (question, signal) => askAt(process, question, signal) : undefined,
    connect,
    readInput: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
      return Buffer.concat(chunks).toString('utf8')
    },
    untilInterrupted: () => stopOnSignals(process, silentLogger),
    exitWith: (code) => {
      process.exitCode = code
    },
    clock: systemClock,
  }
}

function progressOn(
  stdout: NodeJS.WriteStream,
  print: (text: string) => void,
): Pick<CommandIO, 'progress' | 'endProgress'> {
  let told = ''
  return {
    progress(text, elapsedMs) {
      if (stdout.isTTY) {
        const seconds = `${Math.floor(elapsedMs / 1000)}s `
        stdout.write(
          `\r\u001b[K${seconds}${text.slice(0, Math.max(20, (stdout.columns || 80) - seconds.length - 1))}`,
        )
      } else if (text !== told) print(text)
      told = text
    },
    endProgress() {
      if (stdout.isTTY && told !== '') stdout.write('\r\u001b[K')
      told = ''
    },
  }
}

async function askAt(
  { stdin, stdout }: NodeJS.Process,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stdout })
  const interrupted = new AbortController()
  lines.once('SIGINT', () => interrupted.abort(new Error('told to stop')))
  try {
    return await lines.question(question, { signal: AbortSignal.any([signal, interrupted.signal]) })
  } finally {
    lines.close()
  }
}
