import { Command } from 'commander'
import { version } from '../package.json'
import { completionCommand, hiddenCompleteCommand } from './commands/completion/command.ts'
import { explainCommand } from './commands/explain/command.ts'
import { installConfigCommand } from './commands/install-config/command.ts'
import { loadBalancerCommand } from './commands/load-balancer/command.ts'
import { manifestsCommand } from './commands/manifests/command.ts'
import { nodeIpCommand } from './commands/node-ip/command.ts'
import { operatorCommand } from './commands/operator/command.ts'
import { planCommand } from './commands/plan/command.ts'
import { preflightCommand } from './commands/preflight/command.ts'
import { renderCommand } from './commands/render/command.ts'
import { sandboxCommand } from './commands/sandbox/command.ts'
import { scopeCommand } from './commands/scope/command.ts'
import { statusCommand } from './commands/status/command.ts'
import { tourCommand } from './commands/tour/command.ts'
import { addClusterOptions, handOn } from './connection/cluster-options.ts'
import { type CommandIO, commandIO } from './io/command-io.ts'
import { forTerminal, sanitized } from './io/terminal-output.ts'

/** The command line; each command is a file of its own beside this one. */
export function portcullis(
  write: (text: string) => void = console.log,
  surroundings: CommandIO = commandIO(process, write),
): Command {
  const world = sanitized(surroundings)
  const print = (text: string) => write(forTerminal(text, world.colours))
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
      .hook('preAction', handOn)
      .addHelpText(
        'after',
        '\nExit code: 0 if it went well, 1 if not; the help of a command tells of others.\n\nExample:\n  portcullis status',
      )
      .addCommand(statusCommand(world))
      .addCommand(planCommand(world))
      .addCommand(scopeCommand(world))
      .addCommand(explainCommand(world))
      .addCommand(operatorCommand(print))
      .addCommand(manifestsCommand(print))
      .addCommand(installConfigCommand(print, process))
      .addCommand(renderCommand(print, process))
      .addCommand(nodeIpCommand(print, process))
      .addCommand(loadBalancerCommand(print, process))
      .addCommand(preflightCommand(print, process))
      .addCommand(sandboxCommand(print))
      .addCommand(tourCommand(print))
      .addCommand(completionCommand(world))
      .addCommand(hiddenCompleteCommand(world), { hidden: true })
  )
}
