import { Command } from 'commander'
import { version } from '../package.json'
import { addClusterOptions, handOn } from './cluster-options.ts'
import { type CommandIO, commandIO } from './command-io.ts'
import { completionCommand, hiddenCompleteCommand } from './completion.ts'
import { explainCommand } from './explain.ts'
import { installConfigCommand } from './install-config.ts'
import { loadBalancerCommand } from './load-balancer.ts'
import { manifestsCommand } from './manifests.ts'
import { nodeIpCommand } from './node-ip.ts'
import { operatorCommand } from './operator.ts'
import { planCommand } from './plan.ts'
import { preflightCommand } from './preflight.ts'
import { renderCommand } from './render.ts'
import { sandboxCommand } from './sandbox.ts'
import { scopeCommand } from './scope.ts'
import { statusCommand } from './status.ts'
import { forTerminal, sanitized } from './terminal-output.ts'
import { tourCommand } from './tour.ts'

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
