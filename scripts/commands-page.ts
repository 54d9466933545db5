import { portcullis } from '@portcullis/cli/internal/portcullis.ts'
import { capturedIO } from '@portcullis/cli/internal/testing/captured-io.ts'
import type { Command } from 'commander'

/** The reference page of all commands, their flags and exit codes: the help of each, as it is printed. */
export function commandsPage(): string {
  return [
    '# Commands',
    '',
    'The help of every command, with its flags and exit codes. This page is generated: `npm run generate`.',
    '',
    ...[portcullis(capturedIO().io)].flatMap((root) => sectionsOf(root, [])),
  ].join('\n')
}

function sectionsOf(command: Command, above: readonly string[]): string[] {
  const path = [...above, command.name()]
  return [
    `## ${path.join(' ')}`,
    '',
    '```text',
    helpOf(command).trim(),
    '```',
    '',
    ...command.commands.filter(isShown).flatMap((each) => sectionsOf(each, path)),
  ]
}

function isShown(command: Command): boolean {
  return !command.name().startsWith('__') && command.name() !== 'help'
}

/** As wide as a page, whatever the terminal is. */
function helpOf(command: Command): string {
  const written: string[] = []
  command.configureHelp({ helpWidth: 110 })
  command.configureOutput({ writeOut: (text) => void written.push(text), getOutHelpWidth: () => 110 })
  command.outputHelp()
  return written.join('')
}
