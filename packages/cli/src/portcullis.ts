import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { version } from '../package.json'
import { completionCommand, hiddenCompleteCommand } from './commands/completion/command.ts'
import { explainCommand } from './commands/explain/command.ts'
import { installConfigCommand } from './commands/install-config/command.ts'
import { loadBalancerCommand } from './commands/load-balancer/command.ts'
import { manifestsCommand } from './commands/manifests/command.ts'
import { nodeIpCommand } from './commands/node-ip/command.ts'
import { operatorCommand } from './commands/operator/command.ts'
import { planCommand } from './commands/plan/command.ts'
import { preflightCommand, preflightExitCodes } from './commands/preflight/command.ts'
import { renderCommand } from './commands/render/command.ts'
import { sandboxCommand } from './commands/sandbox/command.ts'
import { scopeCommand } from './commands/scope/command.ts'
import { statusCommand } from './commands/status/command.ts'
import { tourCommand } from './commands/tour/command.ts'
import { addClusterOptions, passClusterOptions } from './connection/cluster-options.ts'
import type { CommandIO } from './io/command-io.ts'
import { reportFailure } from './io/failure.ts'
import { sanitized } from './io/terminal-output.ts'

/** Runs a command line; prints why it failed, and sets the exit code. */
export async function runPortcullis(
  args: readonly string[],
  io: CommandIO,
  { name = 'portcullis' }: { readonly name?: string } = {},
): Promise<void> {
  try {
    await portcullis(io).name(name).parseAsync(args, { from: 'user' })
  } catch (error) {
    // commander has already printed its own errors, except about an argument that a command checks itself.
    const isPrinted = error instanceof CommanderError && !(error instanceof InvalidArgumentError)
    if (isPrinted) io.exitWith(error.exitCode)
    else reportFailure(sanitized(io), error)
  }
}

/** The command line; each command has a folder of its own in commands/. */
export function portcullis(unsanitized: CommandIO): Command {
  const io = sanitized(unsanitized)
  const root = addClusterOptions(new Command('portcullis'))
    .description(
      'Publishes Kubernetes ingress: cloud load balancers whose scope can be changed on a live cluster, ' +
        'host ports, node ports, and the addresses written to every Ingress.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(see portcullis --help)')
    // An option after a command belongs to the command: several have an option of the same name.
    .enablePositionalOptions()
    .hook('preAction', passClusterOptions)
    .addHelpText(
      'after',
      '\nExit code: 0 on success, 1 on failure; the help of a command lists its other exit codes.\n\nExample:\n  portcullis status',
    )
    .addCommand(statusCommand(io))
    .addCommand(planCommand(io))
    .addCommand(scopeCommand(io))
    .addCommand(explainCommand(io))
    .addCommand(operatorCommand(io))
    .addCommand(manifestsCommand(io))
    .addCommand(installConfigCommand(io))
    .addCommand(renderCommand(io))
    .addCommand(nodeIpCommand(io))
    .addCommand(loadBalancerCommand(io))
    .addCommand(preflightCommand(io))
    .addCommand(sandboxCommand(io))
    .addCommand(tourCommand(io))
    .addCommand(completionCommand(io))
    .addCommand(hiddenCompleteCommand(io), { hidden: true })
  throwUsageErrors(root, io)
  return root
}

/** Lets commander print through `io`, and throw where it would end the process. */
function throwUsageErrors(command: Command, io: CommandIO, exitCode = 1): void {
  const withoutLineBreak = (text: string) => text.replace(/\n$/, '')
  command.configureOutput({
    writeOut: (text) => io.print(withoutLineBreak(text)),
    writeErr: (text) => io.printError(withoutLineBreak(text)),
  })
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new CommanderError(exitCode, error.code, error.message)
  })
  for (const child of command.commands)
    throwUsageErrors(child, io, child.name() === 'preflight' ? preflightExitCodes.unknown : exitCode)
}
