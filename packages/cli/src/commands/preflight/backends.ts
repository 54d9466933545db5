import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { defaultControlPort, FakeBackend, type MemberPorts, memberPorts, movedPort } from '@portcullis/onprem'
import { Command, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
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

/** The token that fake backends take commands by. Better from the environment: everybody on the machine sees command lines. */
export function tokenOption(description: string): Option {
  return new Option('--token <token>', `${description} (env: PORTCULLIS_TOKEN)`)
}

/** Undefined where none is given, or an empty one. */
export function tokenOf(options: { readonly token?: string | undefined }, io: CommandIO): string | undefined {
  return (options.token ?? io.env['PORTCULLIS_TOKEN']) || undefined
}

export function controlPortOption(): Option {
  return new Option('--control-port <n>', 'where fake backends are commanded')
    .argParser(parseCount(1, 65_535))
    .default(defaultControlPort)
}

/** `portcullis preflight backends`: stands in for nodes that do not exist yet, until Ctrl-C. */
export function backendsCommand(io: CommandIO): Command {
  const port = parseCount(1, 65_535)
  return new Command('backends')
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
    .action((options: Options, command: Command) => run({ ...options, ...portsOf(options, command) }, io))
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

async function run(options: Options & Ports, io: CommandIO): Promise<void> {
  const { stop, release } = io.untilInterrupted()
  const { listen, ports, controlPort } = options
  const givenToken = tokenOf(options, io)
  const token = givenToken ?? randomBytes(12).toString('hex')
  const fakeBackends: FakeBackend[] = []
  try {
    for (const address of listen) {
      fakeBackends.push(
        await FakeBackend.start({
          address,
          ports,
          controlPort,
          token,
          now: () => io.clock.monotonic(),
        }),
      )
    }
    io.print(`Standing in for ${listen.join(', ')}; Ctrl-C ends it.`)
    if (givenToken === undefined) io.print(`For the preflight: export PORTCULLIS_TOKEN=${token}`)
    if (!stop.aborted) await once(stop, 'abort')
  } finally {
    for (const backend of fakeBackends) backend.close()
    release()
  }
}
