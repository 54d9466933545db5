import { painted } from './colours.ts'
import type { CommandIO } from './command-io.ts'
import { printable } from './printable.ts'

/**
 * Text on its way out. Lines, tabs and the colours that we paint pass; whatever else a terminal would obey is shown
 * instead, wherever it came from.
 */
export function forTerminal(text: string, colours: boolean): string {
  const parts = colours ? text.split(painted) : [text]
  return parts.map((part, at) => (at % 2 === 1 ? part : withoutOrders(part))).join('')
}

function withoutOrders(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('')
}

/** Where the lines of a log go: JSON escapes most of what a terminal would obey, and this the rest. */
export function logLinesTo(stdout: { write(text: string): unknown }): { write(line: string): void } {
  return { write: (line) => void stdout.write(withoutOrders(line)) }
}

/** The same world, in which nothing that a command says gives orders to the terminal. */
export function sanitized(world: CommandIO): CommandIO {
  const { ask } = world
  const safe = (text: string) => forTerminal(text, world.colours)
  return {
    ...world,
    print: (text) => world.print(safe(text)),
    tell: (text) => world.tell(safe(text)),
    redraw: (text) => world.redraw(safe(text)),
    progress: (text, elapsedMs) => world.progress(printable(text), elapsedMs),
    ask: ask && ((question, signal) => ask(safe(question), signal)),
  }
}
