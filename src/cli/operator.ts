import { Command } from 'commander'
import { pino } from 'pino'
import { version } from '../../package.json'
import type { AddressSettings } from '../addresses/settings.ts'
import { parseStaticAddresses } from '../addresses/static-addresses.ts'
import { type OperatorConfiguration, operatorConfiguration } from '../api/operator-configuration.ts'
import { findCommandLine } from '../ingress/command-line.ts'
import { platformNamed, platforms } from '../ingress/platforms/platforms.ts'
import type { Settings } from '../ingress/settings.ts'
import { runOperator } from '../kube/run-operator.ts'
import { assembleOperator } from '../operator.ts'
import { addFlags, readConfiguration } from './configuration.ts'
import { parseDuration } from './duration.ts'

interface Options {
  readonly kubeconfig?: string
  readonly context?: string
  readonly config?: string
}

/** `portcullis operator`: publishes the IngressControllers of a cluster, until it is told to stop. */
export function operatorCommand(): Command {
  const command = new Command('operator')
    .description('publish the IngressControllers of a cluster, until stopped')
    .option('--kubeconfig <file>', 'the kubeconfig; found as kubectl finds it, or in the pod, when not given')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--config <file>', 'a YAML file with the settings below, in camelCase; flags come before it')
  return addFlags(command, operatorConfiguration)
    .addHelpText(
      'after',
      '\nExample:\n  portcullis operator --kubeconfig ~/.kube/config --domain apps.example.com --platform None',
    )
    .action((options: Options) => run(options, command))
}

async function run({ kubeconfig, context, config }: Options, command: Command): Promise<void> {
  const configuration = await readConfiguration(operatorConfiguration, config, command)
  const { operatorNamespace, healthHost, healthPort, leaderElection } = configuration
  refuseUnknownPlatform(configuration)
  const addresses = addressSettingsOf(configuration)
  await runOperator({
    name: 'portcullis',
    version,
    ...(leaderElection && { lease: { namespace: operatorNamespace, name: 'portcullis' } }),
    health: { host: healthHost, port: healthPort },
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    process,
    log: pino(),
    async assemble(runtime, { client, metrics, clock }) {
      const commandLine = configuration.commandLine ?? (await findCommandLine(client))
      assembleOperator({
        runtime,
        clock,
        metrics,
        addresses,
        settings: settingsOf(configuration, commandLine),
      })
    },
  })
}

function refuseUnknownPlatform({ platform }: OperatorConfiguration): void {
  if (platform === undefined || platformNamed(platform) !== undefined) return
  const known = platforms.map(({ name }) => name).join(', ')
  throw new Error(`The platform "${platform}" is not known; choose one of ${known}.`)
}

export function settingsOf(
  configuration: OperatorConfiguration,
  commandLine: Settings['commandLine'],
): Settings {
  const { operatorNamespace, operandNamespace, routerImage, domain, platform, firstNodePort } = configuration
  return {
    operatorNamespace,
    operandNamespace,
    routerImage,
    defaultDomain: domain,
    platform,
    commandLine,
    firstNodePort,
  }
}

export function addressSettingsOf(configuration: OperatorConfiguration): AddressSettings {
  const { ingressStatusAddress, classAddresses, publishService, publishClusterIp } = configuration
  const { lostAddressGrace, ingressWithoutClass, ingressClassName } = configuration
  const byClass = Object.entries(classAddresses).map(
    ([name, addresses]) => [name, parseStaticAddresses(addresses)] as const,
  )
  return {
    staticAddresses: parseStaticAddresses(ingressStatusAddress),
    classAddresses: new Map(byClass),
    publishService,
    publishClusterIp,
    lostAddressGraceMs:
      lostAddressGrace === 'never' ? Number.POSITIVE_INFINITY : parseDuration(lostAddressGrace),
    withoutClass: ingressWithoutClass,
    classNames: ingressClassName,
    controllerNamespace: configuration.operatorNamespace,
  }
}
