import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** What a program left behind. */
export interface CommandResult {
  readonly stdout: string
  readonly stderr: string
  /** As in a shell: 128 and the signal's number when a signal ended the program. */
  readonly code: number
}

export interface RunOptions {
  /** Given to the program as its standard input. */
  readonly input?: string
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Interrupts the program, as Ctrl-C would; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Runs a program to its end. Rejects only if it cannot be started or is aborted; its exit code is for the caller. */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> {
  const { input, env, cwd, signal } = options
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' })
    const interrupt = () => child.kill('SIGINT')
    signal?.addEventListener('abort', interrupt, { once: true })

    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.stdin.on('error', () => {}) // The program may end without reading all of its input.
    child.stdin.end(input)

    child.once('error', reject)
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', interrupt)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve({ stdout: text(stdout), stderr: text(stderr), code: code ?? shellCode(killedBy) })
    })
  })
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8')
}

/** The exit code of a program that a signal has ended. */
export function shellCode(killedBy: NodeJS.Signals | null): number {
  return 128 + (killedBy === null ? 0 : constants.signals[killedBy])
}
