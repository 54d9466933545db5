import { type Client, systemClock, unlimitedListeners } from '@portcullis/kube'
import type { Command } from 'commander'
import type { CommandIO, Connection } from '../io/command-io.ts'
import { portcullis } from '../portcullis.ts'

/** What came of a command. */
export interface Ran {
  /** All that was printed for whoever reads the result. */
  readonly output: string
  /** What was told beside it. */
  readonly told: string
  readonly code: number
}

export interface Scenery {
  readonly client?: Client
  /** What the person at the terminal answers, one after the other, perhaps after a while; no terminal where it is left out. */
  readonly answers?: readonly (string | (() => Promise<string>))[]
  readonly input?: string
  readonly isTerminal?: boolean
  readonly colours?: boolean
  /** Presses Ctrl-C. */
  readonly interrupt?: AbortSignal
  /** Called with everything that is printed. */
  readonly onPrint?: (text: string) => void
}

/** Runs a command line in a world of paper; what would end the process is given back. */
export async function run(args: readonly string[], scenery: Scenery = {}): Promise<Ran> {
  const printed: string[] = []
  const told: string[] = []
  let code = 0
  const print = (text: string) => {
    printed.push(text)
    scenery.onPrint?.(text)
  }
  const command = portcullis(
    print,
    commandIO(
      scenery,
      print,
      (text) => told.push(text),
      (exit) => void (code = exit),
    ),
  )
  for (const each of withChildren(command)) {
    each.exitOverride().configureOutput({ writeOut: print, writeErr: (text) => void told.push(text) })
  }
  try {
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    const { exitCode = 1, code: kind } = error as { exitCode?: number; code?: string }
    code = exitCode
    if (kind?.startsWith('commander.') !== true) told.push((error as Error).message)
  }
  return { output: printed.join('\n'), told: told.join('\n'), code }
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)]
}

function commandIO(
  { client, answers, input = '', isTerminal = false, colours = false, interrupt }: Scenery,
  print: (text: string) => void,
  tell: (text: string) => void,
  exitWith: (code: number) => void,
): CommandIO {
  const left = [...(answers ?? [])]
  let progress = ''
  return {
    print,
    tell,
    redraw: print,
    progress: (text) => {
      if (text !== progress) print(`… ${text}`)
      progress = text
    },
    endProgress: () => {},
    isTerminal,
    colours,
    ask:
      answers === undefined
        ? undefined
        : async (question) => {
            print(question)
            const answer = left.shift()
            if (answer === undefined) throw new Error(`Nobody answers: ${question}`)
            return typeof answer === 'string' ? answer : answer()
          },
    connect: async () => {
      if (client === undefined) throw new Error('There is no cluster here.')
      return withoutClosing(client)
    },
    readInput: async () => input,
    untilInterrupted: () => ({
      stop: unlimitedListeners(interrupt ?? new AbortController().signal),
      release: () => {},
    }),
    exitWith,
    clock: systemClock,
  }
}

/** The client belongs to the test. */
function withoutClosing(client: Client): Connection {
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'close') return async () => {}
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
