import { Command } from 'commander'
import { version } from '../../package.json'
import { addClusterOptions } from './cluster-options.ts'
import { completionCommand, hiddenCompleteCommand } from './completion.ts'
import { explainCommand } from './explain.ts'
import { installConfigCommand } from './install-config.ts'
import { operatorCommand } from './operator.ts'
import { planCommand } from './plan.ts'
import { sandboxCommand } from './sandbox.ts'
import { scopeCommand } from './scope.ts'
import { statusCommand } from './status.ts'
import { type World, worldOf } from './world.ts'

/** The command line; each command is a file of its own beside this one. */
export function portcullis(
  print: (text: string) => void = console.log,
  world: World = worldOf(process, print),
): Command {
  return (
    addClusterOptions(new Command('portcullis'))
      .description(
        'Publishes Kubernetes ingress: cloud load balancers whose scope can be changed on a live cluster, ' +
          'host ports, node ports, and the addresses written to every Ingress.',
      )
      .version(version, '-V, --version', 'print the version')
      .helpOption('-h, --help', 'print this help')
      .helpCommand('help [command]', 'print the help of a command')
      .showHelpAfterError('(portcullis --help lists what there is)')
      // What stands behind a command is the command's: several have an option of the same name.
      .enablePositionalOptions()
      .addHelpText(
        'after',
        '\nExit code: 0 if it went well, 1 if not; the help of a command tells of others.\n\nExample:\n  portcullis status',
      )
      .addCommand(statusCommand(world))
      .addCommand(planCommand(world))
      .addCommand(scopeCommand(world))
      .addCommand(explainCommand(world))
      .addCommand(operatorCommand())
      .addCommand(completionCommand(world))
      .addCommand(hiddenCompleteCommand(world), { hidden: true })
      .addCommand(installConfigCommand(print, process))
      .addCommand(sandboxCommand(print))
  )
}
