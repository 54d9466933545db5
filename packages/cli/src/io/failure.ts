import type { CommandIO } from './command-io.ts'
import { printableLines } from './printable.ts'

/** Prints why a command failed; `code` is the exit code of the process. */
export function reportFailure(
  io: Pick<CommandIO, 'printError' | 'exitWith'>,
  error: unknown,
  code = 1,
): void {
  // The message may quote an API server, which must not control the terminal.
  io.printError(`portcullis: ${printableLines(error instanceof Error ? error.message : String(error))}`)
  io.exitWith(code)
}
