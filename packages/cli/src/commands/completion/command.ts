import { defaultSettings, IngressController, operatorReasons } from '@portcullis/operator'
import { Argument, Command } from 'commander'
import { withCluster } from '../../connection/with-cluster.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { printable } from '../../io/printable.ts'
import { complete, type Lookup } from './complete.ts'
import { completionScripts } from './scripts.ts'

/** `portcullis completion`: prints the script with which a shell completes commands, options and live names. */
export function completionCommand(io: CommandIO): Command {
  const shells = Object.keys(completionScripts)
  return new Command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0; 1 if the shell is not supported.',
        '',
        'Examples:',
        '  source <(portcullis completion bash)',
        '  source <(portcullis completion zsh)',
        '  portcullis completion fish | source',
      ].join('\n'),
    )
    .action((shell: keyof typeof completionScripts) => io.print(completionScripts[shell].trimEnd()))
}

/** The command that shells call: prints candidates, one on a line, each with its description after a tab; then 0 if file names fit too, otherwise 4. */
export function hiddenCompleteCommand(io: CommandIO): Command {
  return new Command('__complete')
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (words: string[], _options: object, command: Command) => {
      const root = command.parent ?? command
      const { candidates, files } = await complete(root, words, lookupIn(io))
      const lines = candidates.map(
        ({ value, description }) => `${printable(value)}\t${printable(description)}`,
      )
      io.print([...lines, files ? ':0' : ':4'].join('\n'))
    })
}

/** The user waits at the prompt: no names are better than late ones. */
const patienceMs = 2000

function lookupIn(io: CommandIO): Lookup {
  return async (what, { kubeconfig, context, namespace = defaultSettings.operatorNamespace }) => {
    if (what === 'reason') return Object.keys(operatorReasons)
    if (what !== 'controller') return []
    const choice = { ...(kubeconfig && { kubeconfig }), ...(context && { context }) }
    try {
      return await withCluster(io, choice, async (client) => {
        const { items } = await client.list(IngressController, {
          namespace,
          timeoutMs: patienceMs,
          signal: AbortSignal.timeout(patienceMs),
        })
        return items.map(({ metadata }) => metadata.name)
      })
    } catch {
      return [] // A shell has no place to show an error.
    }
  }
}
