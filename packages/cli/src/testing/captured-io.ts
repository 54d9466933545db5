import { type Client, systemClock, unlimitedListeners } from '@portcullis/kube'
import type { Connection } from '../connection/connect.ts'
import type { CommandIO } from '../io/command-io.ts'
import type { Progress } from '../io/progress.ts'
import { runPortcullis } from '../portcullis.ts'

/** What a command printed, and its exit code. */
export interface CommandResult {
  readonly stdout: string
  /** Errors, progress, and other output that is not the result. */
  readonly stderr: string
  readonly code: number
}

/** The environment in which a command runs. */
export interface CapturedIOOptions {
  readonly client?: Client
  /** The answers of the user, in order, perhaps after a delay; undefined if there is no terminal. */
  readonly answers?: readonly (string | (() => Promise<string>))[]
  /** Standard input. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly isTerminal?: boolean
  readonly colours?: boolean
  /** Aborts as Ctrl-C does. */
  readonly interrupt?: AbortSignal
  /** Called with everything that is printed to standard output, and each step of progress. */
  readonly onPrint?: (text: string) => void
  /** Replaces other programs: returns what they would print. */
  readonly runProgram?: CommandIO['runProgram']
  readonly connect?: CommandIO['connect']
}

/** Runs a command line as `main.ts` does, but captures its output and exit code. */
export async function run(args: readonly string[], options: CapturedIOOptions = {}): Promise<CommandResult> {
  const { io, result } = capturedIO(options)
  await runPortcullis(args, io)
  return result()
}

/** A CommandIO that captures what is printed. */
export function capturedIO(options: CapturedIOOptions = {}): {
  readonly io: CommandIO
  readonly result: () => CommandResult
} {
  const stdout: string[] = []
  const stderr: string[] = []
  let code = 0
  const print = (text: string) => {
    stdout.push(text)
    options.onPrint?.(text)
  }
  const printError = (text: string) => void stderr.push(text)
  const { client, answers, input = '', isTerminal = false, colours = false, interrupt } = options
  const left = [...(answers ?? [])]
  const io: CommandIO = {
    print,
    printError,
    redraw: print,
    progress: capturedSteps((text) => {
      printError(text)
      options.onPrint?.(text)
    }),
    steps: capturedSteps(print),
    isTerminal,
    colours,
    ask:
      answers === undefined
        ? undefined
        : async (question) => {
            print(question)
            const answer = left.shift()
            if (answer === undefined) throw new Error(`The test has no answer to: ${question}`)
            return typeof answer === 'string' ? answer : answer()
          },
    readInput: async () => Buffer.from(input),
    env: options.env ?? {},
    clock: systemClock,
    random: Math.random,
    untilInterrupted: () => ({
      stop: unlimitedListeners(interrupt ?? new AbortController().signal),
      release: () => {},
    }),
    exitWith: (exit) => void (code = exit),
    connect:
      options.connect ??
      (async () => {
        if (client === undefined) throw new Error('There is no cluster here.')
        return withoutClosing(client)
      }),
    runProgram: options.runProgram ?? (() => Promise.reject(new Error('There are no programs here.'))),
    runOperator: () => Promise.reject(new Error('No operator runs here.')),
  }
  return { io, result: () => ({ stdout: stdout.join('\n'), stderr: stderr.join('\n'), code }) }
}

/** The client belongs to the test, so a command must not close it. */
function withoutClosing(client: Client): Connection {
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'close') return async () => {}
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function capturedSteps(write: (text: string) => void): Progress {
  let current = ''
  return {
    step: (text) => {
      if (text !== current) write(`… ${text}`)
      current = text
    },
    done: () => {},
    clear: () => {},
  }
}
