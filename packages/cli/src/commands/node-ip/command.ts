import {
  type Chosen,
  chooseNodeIps,
  formatIp,
  type Ip,
  type Machine,
  type Network,
  parseNetwork,
  readAddresses,
  readDefaultRoutes,
  readVirtualIps,
} from '@portcullis/onprem'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
import { collectIps, ipOf } from '../../options/addresses.ts'
import { readInfrastructureFile } from '../../options/infrastructure-file.ts'

interface Options {
  readonly output: keyof typeof formats
  readonly infrastructure?: string
  readonly vip?: readonly Ip[]
  readonly machineNetwork?: readonly Network[]
  readonly userManaged: boolean
  readonly hint?: Ip
}

/** `portcullis node-ip`: chooses the node IP that the kubelet of this machine uses. */
export function nodeIpCommand(io: CommandIO): Command {
  return new Command('node-ip')
    .description('choose the node IP of this machine')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text for --node-ip of a kubelet, systemd for its unit, json for programs',
      )
        .choices(Object.keys(formats))
        .default('text'),
    )
    .option(
      '--infrastructure <file>',
      'a file with the Infrastructure, for virtual IPs, machine networks and type of load balancer; - for standard input',
    )
    .option('--vip <ip...>', 'a virtual IP of the API or the ingress', collectIps)
    .option('--machine-network <cidr...>', 'a network of the nodes', collectNetworks)
    .option(
      '--user-managed',
      'the virtual IPs belong to your own load balancer, and are not used to choose the node IP',
      false,
    )
    .option(
      '--hint <ip>',
      'an address in the network of the node IP (default: NODEIP_HINT of the environment)',
      ipOf,
    )
    .addHelpText(
      'after',
      [
        '',
        'Addresses are preferred in this order: in the network of the hint, in the network of a virtual IP (unless the load',
        'balancer is your own), in a machine network, on the default route with the lowest metric, the lowest address. In a',
        'dual-stack cluster one of each family is chosen. The reason is printed to standard error. If no address qualifies,',
        'nothing but an error is printed, and the exit code is 1.',
        '',
        'Examples:',
        '  portcullis node-ip --infrastructure infrastructure.yaml',
        '  portcullis node-ip --user-managed --machine-network 192.0.2.0/24 -o systemd',
      ].join('\n'),
    )
    .action(async (options: Options) => {
      const chosen = chooseNodeIps(await machineOf(options, io))
      for (const one of chosen) io.printError(`${formatIp(one.ip)} ${one.because}.`)
      io.print(formats[options.output](chosen))
    })
}

const formats = { text, systemd, json } as const

function text(chosen: readonly Chosen[]): string {
  return chosen.map(({ ip }) => formatIp(ip)).join(',')
}

function systemd(chosen: readonly Chosen[]): string {
  const [first = ''] = text(chosen).split(',')
  return `[Service]\nEnvironment="KUBELET_NODE_IP=${first}" "KUBELET_NODE_IPS=${text(chosen)}"`
}

function json(chosen: readonly Chosen[]): string {
  return JSON.stringify(
    chosen.map(({ ip, ...rest }) => ({ address: formatIp(ip), ...rest })),
    null,
    2,
  )
}

async function machineOf(options: Options, io: CommandIO): Promise<Machine> {
  const { infrastructure: file, vip = [], machineNetwork = [], userManaged } = options
  const fromEnvironment = io.env['NODEIP_HINT'] || undefined // A systemd unit may set it to an empty string.
  const hint = options.hint ?? (fromEnvironment === undefined ? undefined : ipOf(fromEnvironment))
  const virtualIps = file === undefined ? undefined : readVirtualIps(await readInfrastructureFile(io, file))
  return {
    addresses: readAddresses(await ip(io, '-json', 'addr')),
    defaultRoutes: [
      ...readDefaultRoutes(4, await ip(io, '-json', '-4', 'route', 'show', 'default')),
      ...readDefaultRoutes(6, await ip(io, '-json', '-6', 'route', 'show', 'default')),
    ],
    vips: [...(virtualIps?.api ?? []), ...(virtualIps?.ingress ?? []), ...vip],
    machineNetworks: [...(virtualIps?.machineNetworks ?? []), ...machineNetwork],
    isUserManaged: userManaged || virtualIps?.servedBy === 'customer',
    hint,
  }
}

/** The output of `ip` of iproute2. */
async function ip(io: CommandIO, ...args: string[]): Promise<string> {
  try {
    return await io.runProgram('ip', args)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      throw new Error(`Cannot read the addresses of this machine: ${message}`, { cause: error })
    throw new Error('The program "ip" is not installed; install iproute2.', {
      cause: error,
    })
  }
}

function collectNetworks(text: string, before: readonly Network[] = []): readonly Network[] {
  const networks = text.split(',').map((each) => {
    const network = parseNetwork(each)
    if (network === undefined)
      throw new InvalidArgumentError(
        `"${each}" is not a network in CIDR notation; write one such as 192.0.2.0/24.`,
      )
    return network
  })
  return [...before, ...networks]
}
