import { once } from 'node:events'
import { createServer } from 'node:net'
import {
  ask,
  type CheckResult,
  type FindingId,
  healthChecks,
  type Limits,
  movedPort,
  observe,
  type ProbeContext,
  remedies,
  runChecks,
  type Vantage,
} from '@portcullis/onprem'
import { Command, InvalidArgumentError, Option } from 'commander'
import { clusterOptions } from '../../connection/cluster-options.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { reportFailure } from '../../io/failure.ts'
import { addressOf } from '../../options/addresses.ts'
import { type OnlineOptions, onlineOptions } from '../../options/dns-options.ts'
import { parseDuration } from '../../options/duration.ts'
import {
  addPlannedClusterOptions,
  type PlannedClusterOptions,
} from '../../options/planned-cluster-options.ts'
import { backendsCommand, controlPortOption, tokenOf, tokenOption } from './backends.ts'
import { type PreflightFormat, preflightFormats } from './report.ts'
import { type LiveOptions, readSubject } from './subject.ts'

export interface PreflightOptions extends PlannedClusterOptions, OnlineOptions, LiveOptions {
  readonly output: PreflightFormat
  readonly vantage: Vantage
  readonly source?: string
  readonly token?: string | undefined
  readonly controlPort: number
  readonly dns: boolean
  readonly idle: number
  readonly dropLimit: number
  readonly routerDropLimit: number
  readonly settle: number
  readonly connectTimeout: number
  readonly poll: number
  readonly accept: readonly FindingId[]
}

/** Usage errors exit with `unknown` as well: they say nothing about the load balancer. */
export const preflightExitCodes = { passed: 0, failed: 1, unknown: 2 } as const

/** `portcullis preflight`: checks load balancer and DNS before a cluster depends on them. */
export function preflightCommand(io: CommandIO): Command {
  const command = addPlannedClusterOptions(new Command('preflight'))
    .enablePositionalOptions()
    .description('check the load balancer and the DNS of a cluster, before or after it is installed')
    .option('--kubeconfig <file>', 'kubeconfig of a running cluster to check')
    .option('--context <name>', 'context of the kubeconfig')
    .option(
      '--ingress-controller <name>',
      'the IngressController whose routers the load balancer leads to',
      'default',
    )
    .addOption(
      new Option('--vantage <where>', 'where this runs: in the network of the nodes, or outside')
        .choices(['node', 'outside'])
        .default('node'),
    )
    .option('--source <ip>', 'the address of this machine to connect from', addressOf)
    .addOption(
      tokenOption('the token of the fake backends (portcullis preflight backends); without it none are used'),
    )
    .addOption(controlPortOption())
    .option('--no-dns', 'do not look up names')
  for (const option of onlineOptions()) command.addOption(option)
  return command
    .addOption(duration('--idle <duration>', 'how long an idle connection must stay open', 60_000))
    .addOption(
      duration(
        '--drop-limit <duration>',
        'how long an API member that is not ready may get connections',
        healthChecks.api.limitMs,
      ),
    )
    .addOption(
      duration(
        '--router-drop-limit <duration>',
        'how long a router that is not ready may get connections',
        healthChecks.router.limitMs,
      ),
    )
    .addOption(
      duration('--settle <duration>', 'how long the load balancer may take to detect its members', 30_000),
    )
    .addOption(duration('--connect-timeout <duration>', 'timeout of each step of a connection', 5000))
    .addOption(duration('--poll <duration>', 'how often to poll for a change', 250))
    .addOption(
      new Option('--accept <finding...>', 'findings to accept: they do not fail the check')
        .argParser((id: string, before: readonly FindingId[]) => [...before, findingId(id)])
        .default([], 'none'),
    )
    .addOption(
      new Option('-o, --output <format>', 'text for people, json for programs, junit for CI')
        .choices(Object.keys(preflightFormats))
        .default('text'),
    )
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0 if all checks pass, 1 if a check fails, 2 if the checks could not be run or the usage is wrong.',
        '',
        'Examples:',
        '  Before the installation, with fake backends on the addresses of the future nodes:',
        '    portcullis preflight --install-config install-config.yaml --token … \\',
        '      --bootstrap 192.0.2.20 --control-plane 192.0.2.21 192.0.2.22 192.0.2.23 --workers 192.0.2.31 192.0.2.32',
        '  Only DNS and open ports, while nothing is behind the load balancer:',
        '    portcullis preflight --install-config install-config.yaml --resolver 192.0.2.53',
        '  A running cluster, and the members that its load balancer lists:',
        '    portcullis preflight --kubeconfig ~/.kube/config --workers 192.0.2.31 192.0.2.32',
        '  From outside, where port 22623 must be closed:',
        '    portcullis preflight --domain edge.example.com --api-vip 192.0.2.10 --ingress-vip 192.0.2.11 --vantage outside',
      ].join('\n'),
    )
    .addCommand(backendsCommand(io))
    .action((options: PreflightOptions, command: Command) =>
      runPreflight({ ...options, ...clusterOptions(command), token: tokenOf(options, io) }, io),
    )
}

function duration(flags: string, description: string, otherwise: number): Option {
  return new Option(flags, description).argParser(parseDuration).default(otherwise, `${otherwise / 1000}s`)
}

function findingId(text: string): FindingId {
  if (Object.hasOwn(remedies, text)) return text as FindingId
  throw new InvalidArgumentError(`It must be one of ${Object.keys(remedies).join(', ')}.`)
}

async function runPreflight(options: PreflightOptions, io: CommandIO): Promise<void> {
  const { stop, release } = io.untilInterrupted()
  const now = () => io.clock.monotonic()
  const started = now()
  try {
    if (options.source !== undefined) await refuseForeign(options.source)
    const limits = limitsOf(options)
    const probeContext = probeContextOf(options, {
      signal: stop,
      now,
      random: io.random,
      reportProgress: (step) => io.progress.step(step),
    })
    const subject = { ...(await readSubject(options, io, probeContext)), limits }
    const observations = await observe(subject, probeContext)
    io.progress.done()
    const results = runChecks(observations, options.accept)
    const seconds = (now() - started) / 1000
    io.print(preflightFormats[options.output]({ domain: subject.target.domain, results, seconds }))
    if (options.output === 'text' && subject.behind === 'nobody') io.print(onlyPortsTried)
    if (results.some(isFailed)) io.exitWith(preflightExitCodes.failed)
  } catch (error) {
    io.progress.clear()
    reportFailure(io, error, preflightExitCodes.unknown)
  } finally {
    release()
  }
}

/** Binds to the address to find out whether it is ours: all of 127.0.0.0/8 is, though no interface lists it. */
async function refuseForeign(source: string): Promise<void> {
  const server = createServer()
  try {
    await once(server.listen({ host: source, port: 0 }), 'listening')
  } catch (error) {
    throw new Error(
      `--source ${source} is not an address of this machine; use one that "ip address" lists, or leave it out.`,
      { cause: error },
    )
  } finally {
    server.close()
  }
}

function isFailed({ status }: CheckResult): boolean {
  return status === 'failed'
}

const onlyPortsTried =
  'Only DNS and open ports were checked. To check the rest, run "portcullis preflight backends" on the addresses of the nodes and pass its --token here, or pass --kubeconfig of a running cluster.'

function limitsOf({ dropLimit, routerDropLimit, idle }: PreflightOptions): Limits {
  return { dropMs: { api: dropLimit, 'machine-config': dropLimit, router: routerDropLimit }, idleMs: idle }
}

function probeContextOf(
  options: PreflightOptions,
  parts: Pick<ProbeContext, 'signal' | 'now' | 'random' | 'reportProgress'>,
): ProbeContext {
  const { source: from, connectTimeout, settle, poll, token, controlPort, portOffset, kubeconfig } = options
  const { dns, resolver: resolvers, dnsTimeout: timeoutMs } = options
  return {
    ...parts,
    from,
    timeoutMs: connectTimeout,
    timing: { settleMs: settle, pollMs: poll },
    ask: (names) => (dns ? ask(names, { resolvers, timeoutMs, signal: parts.signal }) : Promise.resolve([])),
    fakeBackends:
      !token || kubeconfig !== undefined
        ? undefined
        : { token, controlPort: movedPort(controlPort, portOffset) },
  }
}
