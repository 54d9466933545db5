import { Command, Option } from 'commander'
import { pino } from 'pino'
import { version } from '../../package.json'
import { type AddressSettings, defaultAddressSettings } from '../addresses/settings.ts'
import { parseStaticAddresses } from '../addresses/static-addresses.ts'
import { findCommandLine } from '../ingress/command-line.ts'
import { platforms } from '../ingress/platforms/platforms.ts'
import { defaultSettings, type Settings } from '../ingress/settings.ts'
import { runOperator } from '../kube/run-operator.ts'
import { assembleOperator } from '../operator.ts'
import { parseCount, parseDuration } from './duration.ts'

interface Options {
  readonly kubeconfig?: string
  readonly context?: string
  readonly operatorNamespace: string
  readonly operandNamespace: string
  readonly routerImage: string
  readonly domain?: string
  readonly platform?: string
  readonly commandLine?: Settings['commandLine']
  readonly firstNodePort: number
  readonly ingressStatusAddress: readonly string[]
  readonly lostAddressGrace: number
  readonly ingressWithoutClass: boolean
  readonly healthPort: number
  readonly healthHost: string
  readonly leaderElection: boolean
}

/** `portcullis operator`: publishes the IngressControllers of a cluster, until it is told to stop. */
export function operatorCommand(): Command {
  return new Command('operator')
    .description('publish the IngressControllers of a cluster, until stopped')
    .option('--kubeconfig <file>', 'the kubeconfig; found as kubectl finds it, or in the pod, when not given')
    .option('--context <name>', 'the context of the kubeconfig')
    .option(
      '--operator-namespace <name>',
      'where IngressControllers and the lease are',
      defaultSettings.operatorNamespace,
    )
    .option('--operand-namespace <name>', 'where routers run', defaultSettings.operandNamespace)
    .option('--router-image <image>', 'the image of the routers', defaultSettings.routerImage)
    .option('--domain <domain>', 'for IngressControllers whose spec names none')
    .addOption(
      new Option(
        '--platform <name>',
        'where the cluster runs, if neither Infrastructure nor the nodes tell',
      ).choices(platforms.map(({ name }) => name)),
    )
    .addOption(
      new Option(
        '--command-line <name>',
        'what messages tell people to type; found out when not given',
      ).choices(['kubectl', 'oc']),
    )
    .option(
      '--first-node-port <n>',
      "where the cluster's range of node ports begins",
      parseCount(1, 65_535),
      defaultSettings.firstNodePort,
    )
    .option(
      '--ingress-status-address <address>',
      'an IP or host name that every Ingress is to say, whatever is found out; repeatable, or with commas between',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option(
      '--lost-address-grace <duration>',
      'how long Ingresses keep an address that is gone; "never" removes none',
      parseGrace,
      defaultAddressSettings.lostAddressGraceMs,
    )
    .option('--ingress-without-class', 'publish Ingresses that name no class as well', false)
    .option('--health-host <host>', 'where /healthz, /readyz and /metrics are served', '0.0.0.0')
    .option('--health-port <n>', 'the port for them; 0 takes a free one', parseCount(0, 65_535), 8080)
    .option('--no-leader-election', 'reconcile without asking: only where no second operator can run')
    .addHelpText(
      'after',
      '\nExample:\n  portcullis operator --kubeconfig ~/.kube/config --domain apps.example.com --platform None',
    )
    .action(run)
}

function run(options: Options): Promise<void> {
  const addresses: AddressSettings = {
    staticAddresses: parseStaticAddresses(options.ingressStatusAddress),
    lostAddressGraceMs: options.lostAddressGrace,
    withoutClass: options.ingressWithoutClass,
  }
  const { kubeconfig, context, operatorNamespace, healthHost, healthPort, leaderElection } = options
  return runOperator({
    name: 'portcullis',
    version,
    ...(leaderElection && { lease: { namespace: operatorNamespace, name: 'portcullis' } }),
    health: { host: healthHost, port: healthPort },
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    process,
    log: pino(),
    async assemble(runtime, { client, metrics, clock }) {
      const commandLine = options.commandLine ?? (await findCommandLine(client))
      assembleOperator({ runtime, clock, metrics, addresses, settings: settingsOf(options, commandLine) })
    },
  })
}

function settingsOf(options: Options, commandLine: Settings['commandLine']): Settings {
  const { operatorNamespace, operandNamespace, routerImage, domain, platform, firstNodePort } = options
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

function parseGrace(text: string): number {
  return text === 'never' ? Number.POSITIVE_INFINITY : parseDuration(text)
}
