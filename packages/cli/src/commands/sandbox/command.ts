import { once } from 'node:events'
import { relative } from 'node:path'
import { Cache, type Cached, createMetrics, Event, type Logger, silentLogger, Watch } from '@portcullis/kube'
import { quoted } from '@portcullis/operator'
import type { Sandbox, SandboxPlatform } from '@portcullis/sandbox'
import { Command, Option } from 'commander'
import type { Event as ClusterEvent } from 'kubernetes-types/events/v1'
import { connectWith } from '../../connection/connect.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { printable } from '../../io/printable.ts'
import { parseCount, parseDuration } from '../../options/duration.ts'
import { FileExistsError, type WrittenKubeconfig, writeKubeconfig } from '../../sandbox/kubeconfig-file.ts'
import { loadSandbox, sandboxPlatforms } from '../../sandbox/load-sandbox.ts'
import { type SandboxOperator, startSandboxOperator } from '../../sandbox/sandbox-operator.ts'
import { type Story, storiesOn } from '../../sandbox/stories.ts'

/** With a longer cloud delay, the command does not wait for the IngressControllers to be available before it prints. */
const longestDelayToWaitForMs = 5000

interface Options {
  readonly platform: SandboxPlatform
  readonly nodes: number
  readonly port: number
  readonly cloudDelay: number
  readonly kubeconfig: string
  readonly operator: boolean
}

/** `portcullis sandbox`: runs a cluster in this process, until Ctrl-C. */
export function sandboxCommand(io: CommandIO): Command {
  return new Command('sandbox')
    .description('run a Kubernetes cluster in this process, to try things with kubectl')
    .addOption(
      new Option('--platform <name>', 'the cloud to simulate, or BareMetal for none')
        .choices(sandboxPlatforms)
        .default('AWS'),
    )
    .option('--nodes <n>', 'number of worker nodes', parseCount(0, 100), 3)
    .option('--port <n>', 'port of the API server on 127.0.0.1; 0 for a free one', parseCount(0, 65_535), 0)
    .addOption(
      new Option('--cloud-delay <duration>', 'how long the cloud takes to provide a load balancer')
        .argParser(parseDuration)
        .default(2000, '2s'),
    )
    .option(
      '--kubeconfig <file>',
      'where to write the kubeconfig; the file must not exist',
      '.portcullis/kubeconfig',
    )
    .option('--no-operator', 'run only the cluster, without Portcullis')
    .addHelpText('after', '\nExample:\n  portcullis sandbox --platform Azure --nodes 5 --cloud-delay 10s')
    .action((options: Options) => runSandbox(options, io))
}

async function runSandbox(options: Options, io: CommandIO): Promise<void> {
  const { stop, release } = io.untilInterrupted()
  try {
    await serve(options, io, stop)
  } finally {
    release()
  }
}

async function serve(options: Options, io: CommandIO, stop: AbortSignal): Promise<void> {
  const { clock, random } = io
  const started = clock.monotonic()
  const sandbox = await start(options, io)
  let kubeconfig: WrittenKubeconfig | undefined
  let operator: SandboxOperator | undefined
  try {
    if (options.operator)
      operator = await startSandboxOperator(sandbox, options.platform, {
        clock,
        random,
        log: errorsTo(io),
      })
    if (options.nodes > 0 && options.cloudDelay <= longestDelayToWaitForMs) await operator?.isAvailable()
    kubeconfig = await write(options.kubeconfig, sandbox)
    io.print(welcome(options, sandbox, kubeconfig, clock.monotonic() - started))
    const printing = printEvents(sandbox, stop, io)
    if (!stop.aborted) await once(stop, 'abort')
    await printing
    io.print('Stopping …')
  } finally {
    await operator?.close()
    await sandbox.close()
    await kubeconfig?.remove()
  }
}

async function start(
  { platform, nodes, port, cloudDelay }: Options,
  { clock, random }: CommandIO,
): Promise<Sandbox> {
  const { startSandbox } = await loadSandbox()
  try {
    return await startSandbox({
      platform,
      nodes,
      port,
      cloudDelayMs: cloudDelay,
      clock,
      random,
      log: silentLogger,
    })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use; choose another with --port, or leave the option out.`, {
      cause: error,
    })
  }
}

async function write(path: string, { server, ca, adminToken }: Sandbox): Promise<WrittenKubeconfig> {
  try {
    return await writeKubeconfig(path, { server, ca, token: adminToken })
  } catch (error) {
    if (error instanceof FileExistsError) throw error
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(
      `Cannot write the kubeconfig to ${path}: ${problem}; specify another path with --kubeconfig.`,
      {
        cause: error,
      },
    )
  }
}

/** Prints the errors of the operator; everything else is in its Events. */
function errorsTo(io: CommandIO): Logger {
  const log: Logger = {
    ...silentLogger,
    error: (_fields, message) => io.print(printable(`portcullis: ${message}`)),
    child: () => log,
  }
  return log
}

function welcome(
  { platform, nodes, operator }: Options,
  { server }: Sandbox,
  { path }: WrittenKubeconfig,
  took: number,
): string {
  const file = relative('.', path)
  const lines = operator ? storiesOn(platform).flatMap(linesOf) : withoutOperator
  return `A Kubernetes cluster with ${nodes} worker ${nodes === 1 ? 'node' : 'nodes'} on ${platform} runs at ${server} (${Math.round(took)} ms)${operator ? '; Portcullis publishes its IngressControllers' : ''}.

Try these commands, line by line, in another terminal:

export KUBECONFIG=${file.startsWith('..') ? quoted(path) : `$PWD/${quoted(file)}`}

${lines.join('\n')}

The events of the cluster follow; press Ctrl-C to stop it, which leaves nothing behind.
`
}

function linesOf({ title, steps }: Story): string[] {
  return [`# ── ${title}`, ...steps.flatMap(({ comment, command }) => [`# ${comment}`, command]), '']
}

const withoutOperator = [
  'kubectl get nodes',
  'kubectl create service loadbalancer web --tcp=80:8080',
  'kubectl get service web --watch',
]

/** Prints a line for every event in the cluster, until `stop` aborts. */
async function printEvents({ access }: Sandbox, stop: AbortSignal, io: CommandIO): Promise<void> {
  const parts = {
    clock: io.clock,
    random: io.random,
    metrics: createMetrics('portcullis'),
    log: silentLogger,
  }
  const client = connectWith(access, { userAgent: 'portcullis-sandbox/1', ...parts })
  const cache = new Cache<ClusterEvent>({ name: 'Event', ...parts })
  const print = (event: Cached<ClusterEvent>) => io.print(printable(lineOf(event)))
  const watching = new Watch<ClusterEvent>({ client, kind: Event, sink: cache, ...parts }).run(stop)
  // The API server lists objects by name.
  await cache.synced(stop).catch(() => {})
  for (const event of [...cache.values()].sort((one, other) => timeOf(one).localeCompare(timeOf(other)))) {
    print(event)
  }
  cache.subscribe(({ type, object }) => {
    if (type !== 'deleted') print(object)
  })
  await watching
  await client.close()
}

function timeOf({ eventTime, deprecatedLastTimestamp, metadata }: Cached<ClusterEvent>): string {
  return eventTime ?? deprecatedLastTimestamp ?? metadata.creationTimestamp
}

function lineOf(event: Cached<ClusterEvent>): string {
  const { regarding, reason, note } = event
  const time = timeOf(event).slice(11, 19)
  const name = [regarding?.namespace, regarding?.name].filter(Boolean).join('/')
  return `${time}  ${regarding?.kind ?? ''} ${name}: ${reason ?? ''}: ${note ?? ''}`
}
