import { balancerFor, defaultTiming, toHaproxy, toNginx } from '@portcullis/onprem'
import { Command, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
import { parseDuration } from '../../options/duration.ts'
import {
  addPlannedClusterOptions,
  type PlannedClusterOptions,
  portsFrom,
  readCluster,
} from '../../options/planned-cluster-options.ts'

const programs = { haproxy: toHaproxy, nginx: toNginx } as const

interface Options extends PlannedClusterOptions {
  readonly subnet: readonly string[]
  readonly for: keyof typeof programs
  readonly checkInterval: number
  readonly checkTimeout: number
}

/** `portcullis load-balancer`: configures the load balancer in front of an on-premises cluster. */
export function loadBalancerCommand(io: CommandIO): Command {
  const config = addPlannedClusterOptions(new Command('config'))
    .description('print the configuration of a load balancer for a cluster')
    .addOption(
      new Option(
        '--subnet <cidr...>',
        'a network from which machines get addresses that are not known yet: all of them become members',
      ).default([], 'none'),
    )
    .addOption(
      new Option('--for <program>', 'the program to configure')
        .choices(Object.keys(programs))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--check-interval <duration>', 'interval of the health checks')
        .argParser(parseDuration)
        .default(defaultTiming.intervalMs, `${defaultTiming.intervalMs / 1000}s`),
    )
    .addOption(
      new Option('--check-timeout <duration>', 'timeout of a health check')
        .argParser(parseDuration)
        .default(defaultTiming.timeoutMs, `${defaultTiming.timeoutMs / 1000}s`),
    )
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        '  portcullis load-balancer config --install-config install-config.yaml --for haproxy \\',
        '    --bootstrap 192.0.2.20 --control-plane 192.0.2.21 192.0.2.22 192.0.2.23 --workers 192.0.2.31 192.0.2.32',
        '  portcullis load-balancer config --install-config install-config.yaml --for nginx --subnet 192.0.2.16/28',
      ].join('\n'),
    )
    .action(async (options: Options) => io.print((await render(options, io)).trimEnd()))
  return new Command('load-balancer')
    .description('set up the load balancer of an on-premises cluster')
    .addCommand(config)
}

async function render(options: Options, io: CommandIO): Promise<string> {
  const cluster = await readCluster(io, options)
  const { controlPlane, workers, bootstrap, subnet: subnets, portOffset: frontPortOffset } = options
  const balancer = balancerFor({
    ...cluster,
    expectsWorkers: options.installConfig !== undefined && !cluster.isCompact,
    controlPlane,
    workers,
    bootstrap,
    subnets,
    frontPortOffset,
    ports: portsFrom(options),
    timing: { ...defaultTiming, intervalMs: options.checkInterval, timeoutMs: options.checkTimeout },
  })
  return programs[options.for](balancer)
}
