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

/** The token that authenticates commands to fake backends. Better set in the environment: every user of the machine can see command lines. */
export function tokenOption(description: string): Option {
  return new Option('--token <token>', `${description} (env: PORTCULLIS_TOKEN)`)
}

/** Undefined if no token is set, or an empty one. */
export function tokenOf(options: { readonly token?: string | undefined }, io: CommandIO): string | undefined {
  return (options.token ?? io.env['PORTCULLIS_TOKEN']) || undefined
}

export function controlPortOption(): Option {
  return new Option('--control-port <n>', 'the control port of the fake backends')
    .argParser(parseCount(1, 65_535))
    .default(defaultControlPort)
}

/** `portcullis preflight backends`: serves in place of nodes that do not exist yet, until Ctrl-C. */
export function backendsCommand(io: CommandIO): Command {
  const port = parseCount(1, 65_535)
  return new Command('backends')
    .description(
      'run fake backends in place of nodes that do not exist yet, to check a load balancer; until Ctrl-C',
    )
    .requiredOption(
      '--listen <ip...>',
      'the addresses of the future nodes; each must be an address of this machine',
      collectAddresses,
    )
    .addOption(tokenOption('the token that allows changing readiness (default: generated and printed)'))
    .addOption(portOffsetOption())
    .addOption(
      new Option('--stats-port <n>', 'the health check port of the routers (default: 1936)').argParser(port),
    )
    .addOption(new Option('--http-port <n>', 'the HTTP port of the routers (default: 80)').argParser(port))
    .addOption(new Option('--https-port <n>', 'the HTTPS port of the routers (default: 443)').argParser(port))
    .addOption(controlPortOption())
    .addHelpText(
      'after',
      [
        '',
        'Each address answers on 6443 (/readyz), 22623 (/healthz), 1936 (/healthz/ready), 443 and 80, with a certificate',
        'of its own, and records the health checks of the load balancer.',
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
    io.print(`Fake backends run on ${listen.join(', ')}; press Ctrl-C to stop.`)
    if (givenToken === undefined) io.print(`To use them: export PORTCULLIS_TOKEN=${token}`)
    if (!stop.aborted) await once(stop, 'abort')
  } finally {
    for (const backend of fakeBackends) backend.close()
    release()
  }
}
