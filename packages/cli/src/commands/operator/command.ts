import {
  addressSettingsOf,
  assembleOperator,
  findCommandLine,
  type OperatorConfiguration,
  operatorConfiguration,
} from '@portcullis/operator'
import { Command } from 'commander'
import { version } from '../../../package.json'
import type { CommandIO } from '../../io/command-io.ts'
import { addFlags, configurationText, readConfiguration } from '../../settings/configuration.ts'
import {
  refuseMemoryAboveLimit,
  refuseUnknownPlatform,
  settingsOf,
} from '../../settings/operator-settings.ts'

interface Options {
  readonly kubeconfig?: string
  readonly context?: string
  readonly config?: string
  readonly printConfig?: boolean
}

/** `portcullis operator`: publishes the IngressControllers of a cluster, until it is stopped. */
export function operatorCommand(io: CommandIO): Command {
  const command = new Command('operator')
    .description('run the operator, which publishes the IngressControllers of a cluster')
    .option(
      '--kubeconfig <file>',
      'path of the kubeconfig (default: found as kubectl finds it, or the service account of the pod)',
    )
    .option('--context <name>', 'context of the kubeconfig')
    .option('--config <file>', 'YAML file with the settings below, in camelCase; flags take precedence')
    .option('--print-config', 'print the resulting settings and where each came from, and exit')
  return addFlags(command, operatorConfiguration)
    .addHelpText(
      'after',
      '\nExample:\n  portcullis operator --kubeconfig ~/.kube/config --domain apps.example.com --platform None',
    )
    .action(async (options: Options) => {
      const settings = await readConfiguration(operatorConfiguration, options.config, command)
      refuseUnknownPlatform(settings.configuration)
      refuseMemoryAboveLimit(settings.configuration)
      addressSettingsOf(settings.configuration) // Refuses what is no address.
      if (options.printConfig) io.print(configurationText(settings))
      else await run(options, settings.configuration, io)
    })
}

async function run(
  { kubeconfig, context }: Options,
  configuration: OperatorConfiguration,
  io: CommandIO,
): Promise<void> {
  const { operatorNamespace, healthHost, healthPort, metricsAuthentication, leaderElection } = configuration
  const { logLevel: level } = configuration
  const addresses = addressSettingsOf(configuration)
  const operator: Parameters<CommandIO['runOperator']>[0] = {
    name: 'portcullis',
    version,
    ...(leaderElection && { lease: { namespace: operatorNamespace, name: 'portcullis' } }),
    health: { host: healthHost, port: healthPort, authenticateScrapes: metricsAuthentication },
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    async assemble(manager, { client, metrics, clock }) {
      const commandLine = configuration.commandLine ?? (await findCommandLine(client))
      assembleOperator({
        manager,
        clock,
        metrics,
        addresses,
        settings: settingsOf(configuration, commandLine),
      })
    },
  }
  await io.runOperator(operator, level)
}
