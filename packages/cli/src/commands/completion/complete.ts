import type { Argument, Command, Option } from 'commander'

/** One completion. */
export interface Candidate {
  readonly value: string
  readonly description: string
}

/** The completions at the cursor. */
export interface Completion {
  readonly candidates: readonly Candidate[]
  /** Whether file names fit as well. */
  readonly files: boolean
}

/** Looks up names in the cluster; `given` are the options that are on the line already. */
export type Lookup = (what: string, given: Readonly<Record<string, string>>) => Promise<readonly string[]>

interface CursorPosition {
  readonly command: Command
  readonly positional: number
  /** The option whose value the cursor is at. */
  readonly option: Option | undefined
  readonly given: Readonly<Record<string, string>>
}

/** Options whose values are files. */
const fileOptions = ['--kubeconfig', '--filename', '--config']

/**
 * @param words the words of the line after the name of the program, up to the cursor; the last may be empty
 * @param lookup finds live names, by the name of the argument
 */
export async function complete(root: Command, words: readonly string[], lookup: Lookup): Promise<Completion> {
  const typed = joined(words)
  const partial = typed.at(-1) ?? ''
  const cursor = cursorAfter(root, typed.slice(0, -1))
  const { candidates, files } = await candidatesAt(cursor, partial, lookup)
  return { candidates: candidates.filter(({ value }) => value.startsWith(partial)), files }
}

/** bash splits `--scope=Int` into three words. */
function joined(words: readonly string[]): string[] {
  const result: string[] = []
  words.forEach((word, at) => {
    if (word === '=' && at === words.length - 1) result.push('')
    else if (word !== '=') result.push(word)
  })
  return result
}

function cursorAfter(root: Command, words: readonly string[]): CursorPosition {
  let command = root
  let positional = 0
  let option: Option | undefined
  const given: Record<string, string> = {}
  for (const word of words) {
    if (option !== undefined) {
      given[option.attributeName()] = word
      option = undefined
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2)
      const found = optionOf(command, flag)
      if (found !== undefined && value !== undefined) given[found.attributeName()] = value
      else if (found !== undefined && !found.isBoolean()) option = found
    } else {
      const next = positional === 0 ? subcommand(command, word) : undefined
      if (next === undefined) positional++
      else command = next
    }
  }
  return { command, positional, option, given }
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short)
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word))
}

async function candidatesAt(
  { command, positional, option, given }: CursorPosition,
  partial: string,
  lookup: Lookup,
): Promise<Completion> {
  if (option !== undefined) return valuesOf(option)
  const help = command.createHelp()
  if (partial.startsWith('-')) {
    const [flag = '', value] = partial.split('=', 2)
    const found = value === undefined ? undefined : optionOf(command, flag)
    if (found !== undefined) {
      const { candidates, files } = valuesOf(found)
      return { files, candidates: candidates.map((each) => ({ ...each, value: `${flag}=${each.value}` })) }
    }
    const options = help.visibleOptions(command)
    return without(
      options.map(({ long, short, description }) => ({ value: long ?? short ?? '', description })),
    )
  }
  const commands = positional === 0 ? help.visibleCommands(command) : []
  const own = commands.map((each) => ({ value: each.name(), description: each.description() }))
  const argument = argumentAt(command, positional)
  if (argument === undefined) return without(own)
  const { candidates, files } = await valuesOfArgument(argument, given, lookup)
  return { files, candidates: [...own, ...candidates] }
}

function valuesOf({ long, argChoices = [], description }: Option): Completion {
  return {
    candidates: argChoices.map((value) => ({ value, description })),
    files: fileOptions.includes(long ?? ''),
  }
}

function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[position] ?? (last?.variadic ? last : undefined)
}

async function valuesOfArgument(
  argument: Argument,
  given: Readonly<Record<string, string>>,
  lookup: Lookup,
): Promise<Completion> {
  const values = argument.argChoices ?? (await lookup(argument.name(), given))
  return {
    candidates: values.map((value) => ({ value, description: argument.description })),
    files: argument.name() === 'file',
  }
}

function without(candidates: readonly Candidate[]): Completion {
  return { candidates, files: false }
}
