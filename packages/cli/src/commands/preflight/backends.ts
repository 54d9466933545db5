import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type SignalSource, silentLogger, stopOnSignals } from '@portcullis/kube'
import { defaultControlPort, type MemberPorts, memberPorts, movedPort, StandIn } from '@portcullis/onprem'
import { Command, Option } from 'commander'
import { collectAddresses } from '../../options/addresses.ts'
import { parseCount } from '../../options/duration.ts'
import { portOffsetOption } from '../../options/planned-cluster-options.ts'

interface Options {
  readonly listen: readonly string[]
  readonly token?: string
  readonly portOffset: number
  readonly statsPort?: number
  readonly httpPort?: number
  readonly httpsPort?: number
  readonly controlPort: number
}

/** By which stand-ins are commanded, from the environment: a command line is seen by everybody on the machine. */
export function tokenOption(description: string): Option {
  return new Option('--token <token>', description).env('PORTCULLIS_TOKEN')
}

export function controlPortOption(): Option {
  return new Option('--control-port <n>', 'where stand-ins are commanded')
    .argParser(parseCount(1, 65_535))
    .default(defaultControlPort)
}

/** What is said wrongly on the command line proves nothing: 1 is for what is wrong with a load balancer. */
export function usageErrorsExitWith2(command: Command, process: SignalSource): Command {
  return command.exitOverride(({ exitCode }) => void process.exit(exitCode === 0 ? 0 : 2))
}

/** `portcullis preflight backends`: stands in for nodes that do not exist yet, until Ctrl-C. */
export function backendsCommand(print: (text: string) => void, process: SignalSource): Command {
  const port = parseCount(1, 65_535)
  return usageErrorsExitWith2(new Command('backends'), process)
    .description(
      'stand in for nodes that do not exist yet, so that a load balancer can be tried: until Ctrl-C',
    )
    .requiredOption(
      '--listen <ip...>',
      'the addresses of the nodes to be; each must be one of this machine',
      collectAddresses,
    )
    .addOption(tokenOption('who knows it may flip readiness; made up and printed when not given'))
    .addOption(portOffsetOption())
    .addOption(
      new Option('--stats-port <n>', 'where routers say whether they are ready (1936)').argParser(port),
    )
    .addOption(new Option('--http-port <n>', 'where routers listen for HTTP (80)').argParser(port))
    .addOption(new Option('--https-port <n>', 'where routers listen for HTTPS (443)').argParser(port))
    .addOption(controlPortOption())
    .addHelpText(
      'after',
      [
        '',
        'Each address answers on 6443 (/readyz), 22623 (/healthz), 1936 (/healthz/ready), 443 and 80, with a certificate',
        'of its own, and remembers how the load balancer asked after it.',
        '',
        'Examples:',
        '  portcullis preflight backends --listen 192.0.2.21',
        '  portcullis preflight backends --listen 127.0.2.21 127.0.2.22 --port-offset 10000 --token secret',
      ].join('\n'),
    )
    .action((options: Options, command: Command) =>
      run({ ...options, ...portsOf(options, command) }, print, process),
    )
}

interface Ports {
  readonly ports: MemberPorts
  readonly controlPort: number
}

function portsOf(options: Options, command: Command): Ports {
  const { portOffset, controlPort } = options
  try {
    return { ports: memberPorts(portOffset, options), controlPort: movedPort(controlPort, portOffset) }
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`)
  }
}

async function run(
  options: Options & Ports,
  print: (text: string) => void,
  process: SignalSource,
): Promise<void> {
  const { stop, release } = stopOnSignals(process, silentLogger)
  const { listen, ports, controlPort } = options
  const token = options.token || randomBytes(12).toString('hex')
  const standIns: StandIn[] = []
  try {
    for (const address of listen) {
      standIns.push(
        await StandIn.start({
          address,
          ports,
          controlPort,
          token,
          now: () => performance.now(),
        }),
      )
    }
    print(`Standing in for ${listen.join(', ')}; Ctrl-C ends it.`)
    if (!options.token) print(`For the preflight: export PORTCULLIS_TOKEN=${token}`)
    if (!stop.aborted) await once(stop, 'abort')
  } finally {
    for (const standIn of standIns) standIn.close()
    release()
  }
}
