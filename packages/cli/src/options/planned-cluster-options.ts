import { type MemberPorts, memberPorts, type PlannedCluster, plannedCluster } from '@portcullis/onprem'
import { type Command, Option } from 'commander'
import type { CommandIO } from '../io/command-io.ts'
import { readText } from '../io/read-text.ts'
import { addressOf, collectAddresses } from './addresses.ts'
import { parseCount } from './duration.ts'

/** The options that describe a cluster that may not exist yet: its domain, virtual IPs and machines. */
export interface PlannedClusterOptions {
  readonly installConfig?: string
  readonly domain?: string
  readonly apiVip?: readonly string[]
  readonly ingressVip?: readonly string[]
  readonly controlPlane: readonly string[]
  readonly workers: readonly string[]
  readonly bootstrap?: string
  readonly statsPort?: number
  readonly httpPort?: number
  readonly httpsPort?: number
  readonly portOffset: number
}

const port = parseCount(1, 65_535)

export function addPlannedClusterOptions(command: Command): Command {
  const options = [
    new Option('--install-config <file>', 'the install-config.yaml of the cluster; - for standard input'),
    new Option('--domain <name>', 'the domain of the cluster with its name, such as edge.example.com'),
    new Option('--api-vip <ip...>', 'the virtual IPs of the API, instead of those in the file').argParser(
      collectAddresses,
    ),
    new Option('--ingress-vip <ip...>', 'the virtual IPs of ingress, instead of those in the file').argParser(
      collectAddresses,
    ),
    new Option('--control-plane <ip...>', 'the addresses of the control plane')
      .argParser(collectAddresses)
      .default([], 'none'),
    new Option(
      '--workers <ip...>',
      'the addresses of the nodes that run routers (default: the control plane)',
    )
      .argParser(collectAddresses)
      .default([], 'none'),
    new Option('--bootstrap <ip>', 'the address of the bootstrap machine, while there is one').argParser(
      addressOf,
    ),
    new Option('--stats-port <n>', 'the health check port of the routers (default: 1936)').argParser(port),
    new Option('--http-port <n>', 'the HTTP port of the routers (default: 80)').argParser(port),
    new Option('--https-port <n>', 'the HTTPS port of the routers (default: 443)').argParser(port),
    portOffsetOption(),
  ]
  for (const option of options) command.addOption(option)
  return command
}

export function portOffsetOption(): Option {
  return new Option('--port-offset <n>', 'number added to every port, to rehearse without root')
    .argParser(parseCount(0, 42_000))
    .default(0)
}

/**
 * Reads the install-config; flags take precedence over it.
 *
 * @param alternative how else the command lets a cluster be specified, for the error
 */
export async function readCluster(
  io: Pick<CommandIO, 'readInput'>,
  options: PlannedClusterOptions,
  alternative = '',
): Promise<PlannedCluster> {
  const { installConfig, domain, apiVip, ingressVip } = options
  if (installConfig === undefined && domain === undefined) {
    throw new Error(
      `No cluster is specified: use --install-config, or --domain, --api-vip and --ingress-vip${alternative}.`,
    )
  }
  const file =
    installConfig === undefined
      ? undefined
      : plannedCluster(await readText(io, installConfig, 'an install-config.yaml'))
  const nothing = { machineNetworks: [], nodesAskOutside: true, isCompact: false }
  return {
    ...(file ?? nothing),
    domain: domain ?? file?.domain ?? '',
    apiVips: apiVip ?? file?.apiVips ?? [],
    ingressVips: ingressVip ?? file?.ingressVips ?? [],
  }
}

export function portsFrom({ portOffset, ...routers }: PlannedClusterOptions): MemberPorts {
  return memberPorts(portOffset, routers)
}
