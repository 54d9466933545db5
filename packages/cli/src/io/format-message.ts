import { printable } from './printable.ts'

/** A message of the operator for a terminal: its sentences, followed by its commands, each on a line to paste. */
export function formatMessage(message: string, indent: string): string {
  const commands: string[] = []
  const sentences = message.replaceAll(/`([^`]+)`/g, (_, command: string) => {
    commands.push(command)
    return `(${commands.length})`
  })
  const lines = sentences.split(/\n| {2,}/).map((line) => printable(line.trim()))
  return [
    ...lines.filter(Boolean).map((line) => `${indent}${line}`),
    ...commands.map((command, at) => `${indent}  (${at + 1})  ${printable(command)}`),
  ].join('\n')
}
