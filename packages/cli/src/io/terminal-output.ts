import { painted } from './colours.ts'
import type { CommandIO } from './command-io.ts'
import { printable } from './printable.ts'

/**
 * Text for a terminal. Line breaks, tabs and our own colours pass; every other control character is escaped, wherever it
 * came from.
 */
export function forTerminal(text: string, colours: boolean): string {
  const parts = colours ? text.split(painted) : [text]
  return parts.map((part, at) => (at % 2 === 1 ? part : withControlCharsEscaped(part))).join('')
}

function withControlCharsEscaped(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('')
}

/** The destination of log lines: JSON escapes most control characters, and this the rest. */
export function logLinesTo(stdout: { write(text: string): unknown }): { write(line: string): void } {
  return { write: (line) => void stdout.write(withControlCharsEscaped(line)) }
}

/** The same IO, in which nothing that a command prints can control the terminal. */
export function sanitized(io: CommandIO): CommandIO {
  const { ask, progress, steps } = io
  const safe = (text: string) => forTerminal(text, io.colours)
  return {
    ...io,
    print: (text) => io.print(safe(text)),
    printError: (text) => io.printError(safe(text)),
    redraw: (text) => io.redraw(safe(text)),
    progress: { ...progress, step: (text) => progress.step(printable(text)) },
    steps: { ...steps, step: (text) => steps.step(printable(text)) },
    ask: ask && ((question, signal) => ask(safe(question), signal)),
  }
}
