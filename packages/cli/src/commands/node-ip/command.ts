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

/** `portcullis node-ip`: the address that a node's kubelet is to have. */
export function nodeIpCommand(io: CommandIO): Command {
  return new Command('node-ip')
    .description('choose the address at which this machine is reached as a node')
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
      'an Infrastructure that tells virtual IPs, machine networks and load balancer; - for standard input',
    )
    .option('--vip <ip...>', 'a virtual IP of API or ingress', collectIps)
    .option('--machine-network <cidr...>', 'a network that nodes are in', collectNetworks)
    .option(
      '--user-managed',
      'the virtual IPs are of a load balancer of your own, and say nothing of the node',
      false,
    )
    .option(
      '--hint <ip>',
      'an address of the network that the node is to be reached in; NODEIP_HINT of the environment when not given',
      ipOf,
    )
    .addHelpText(
      'after',
      [
        '',
        'For an address speak, in this order: the hint, the network of a virtual IP (unless the load balancer is your',
        'own), a machine network, the default route with the lowest metric, being the lowest. In a cluster of both',
        'families there is one of each. What spoke for it is told on standard error. Where there is none an error is',
        'told there, with exit code 1, and nothing printed.',
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
  const fromEnvironment = io.env['NODEIP_HINT'] || undefined // Units set it to nothing.
  const hint = options.hint ?? (fromEnvironment === undefined ? undefined : ipOf(fromEnvironment))
  const told = file === undefined ? undefined : readVirtualIps(await readInfrastructureFile(io, file))
  return {
    addresses: readAddresses(await ip(io, '-json', 'addr')),
    defaultRoutes: [
      ...readDefaultRoutes(4, await ip(io, '-json', '-4', 'route', 'show', 'default')),
      ...readDefaultRoutes(6, await ip(io, '-json', '-6', 'route', 'show', 'default')),
    ],
    vips: [...(told?.api ?? []), ...(told?.ingress ?? []), ...vip],
    machineNetworks: [...(told?.machineNetworks ?? []), ...machineNetwork],
    isUserManaged: userManaged || told?.servedBy === 'customer',
    hint,
  }
}

/** What `ip` of iproute2 prints. */
async function ip(io: CommandIO, ...args: string[]): Promise<string> {
  try {
    return await io.runProgram('ip', args)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      throw new Error(`Cannot read the addresses of this machine: ${message}`, { cause: error })
    throw new Error('There is no "ip" here to tell the addresses of this machine; install iproute2.', {
      cause: error,
    })
  }
}

function collectNetworks(given: string, before: readonly Network[] = []): readonly Network[] {
  const networks = given.split(',').map((each) => {
    const network = parseNetwork(each)
    if (network === undefined)
      throw new InvalidArgumentError(
        `"${each}" is not a network in CIDR notation; write one such as 192.0.2.0/24.`,
      )
    return network
  })
  return [...before, ...networks]
}
