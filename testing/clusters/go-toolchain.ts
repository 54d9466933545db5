import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandResult, run } from './run-command.ts'
import { ToolMissing } from './tool-missing.ts'

export interface GoCommand {
  /** The module to run in: where its go.mod is. */
  readonly module: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Runs `go`; an error shows all that Go said. */
export async function go(args: readonly string[], { module, env, signal }: GoCommand): Promise<string> {
  const { code, stdout, stderr } = await startGo(args, module, env, signal)
  if (code !== 0) throw new Error(`"go ${args.join(' ')}" failed in ${module}:\n${stderr.trim()}`)
  return stdout.trim()
}

/** Throws, with the way out, unless there is a Go at least as new as the module asks for. */
export async function requireGo(module: string, signal?: AbortSignal): Promise<void> {
  const needed = await inGoMod(module, /^go (\S+)/m, 'the version of Go')
  const { code, stdout, stderr } = await startGo(['version'], module, {}, signal)
  const found = /\bgo(\d+(?:\.\d+)+)/.exec(stdout)?.[1]
  if (code === 0 && found !== undefined && !isOlder(found, needed)) return
  const instead =
    found === undefined ? `"go version" said: ${(stderr || stdout).trim()}` : `found Go ${found}`
  throw new ToolMissing(`A real control plane is built with Go ${needed} or newer; ${instead}. ${howToGetGo}`)
}

/** What a module's go.mod says. */
export async function inGoMod(module: string, pattern: RegExp, what: string): Promise<string> {
  const file = join(module, 'go.mod')
  const found = pattern.exec(await readFile(file, 'utf8'))?.[1]
  if (found === undefined) throw new Error(`${file} does not say ${what}`)
  return found
}

const howToGetGo =
  'Install it from https://go.dev/dl/ (or your package manager), put "go" on the PATH, and run this again.'

async function startGo(
  args: readonly string[],
  module: string,
  env: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<CommandResult> {
  try {
    return await run('go', args, { cwd: module, env, signal })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ToolMissing(`A real control plane is built with Go, and there is no "go" here. ${howToGetGo}`, {
      cause: error,
    })
  }
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}
