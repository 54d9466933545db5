import { Ingress, IngressClass, type KubeApi, Namespace, type Persisted, sleep } from '@portcullis/kube'
import {
  addressSettingsOf,
  type ClassRules,
  type IngressControllerObject as Controller,
  IngressController,
  type Overview,
  operatorConfiguration,
  overview,
} from '@portcullis/operator'
import { Command } from 'commander'
import { addClusterOptions, clusterOptions } from '../../connection/cluster-options.ts'
import { noSuchController } from '../../connection/no-such-controller.ts'
import { withCluster } from '../../connection/with-cluster.ts'
import { paint } from '../../io/colours.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { inForm, type Output, outputOption } from '../../io/output.ts'
import { readConfiguration } from '../../settings/configuration.ts'
import { printedStatus } from './report.ts'

interface Options {
  readonly output: Output
  readonly watch: boolean
  readonly config?: string
}

const refreshIntervalMs = 2000

/** `portcullis status`: shows where IngressControllers are published, pending changes, problems and their remedies. */
export function statusCommand(io: CommandIO): Command {
  const command = new Command('status')
    .description(
      'show where IngressControllers are published, which changes wait for you and what is wrong, with commands to fix it',
    )
    .argument('[controller...]', 'the IngressControllers to show (default: all)')
    .addOption(outputOption())
    .option(
      '--config <file>',
      'the configuration file of the operator, if it sets which Ingresses belong to the operator',
    )
    .option('-w, --watch', 'show the status again whenever it changes, until Ctrl-C', false)
  return addClusterOptions(command)
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0; 1 if the cluster cannot be reached or an IngressController does not exist.',
        '',
        'Examples:',
        '  portcullis status',
        '  portcullis status default --watch',
        '  portcullis status -o json',
        '  portcullis status --config operator.yaml',
      ].join('\n'),
    )
    .action((names: string[], options: Options) => run(names, options, command, io))
}

async function run(names: readonly string[], options: Options, command: Command, io: CommandIO) {
  const { output, watch, config } = options
  const cluster = clusterOptions(command)
  const { configuration } = await readConfiguration(operatorConfiguration, config, command)
  const rules = { ...addressSettingsOf(configuration), controllerNamespace: cluster.namespace }
  await withCluster(io, cluster, async (client) => {
    const readStatus = async (signal?: AbortSignal): Promise<StatusView> => {
      const overviews = await overviewsIn(client, rules, names, signal)
      const printed = printedStatus(overviews, cluster.namespace, io.clock.now())
      return {
        text: inForm(output, printed, paint(io.colours)),
        // On a terminal, redraw as time passes; elsewhere, print only what has changed.
        version: io.isTerminal ? io.clock.now() : JSON.stringify(printed.data),
      }
    }
    if (watch) await redrawUntilInterrupted(readStatus, io)
    else io.print((await readStatus()).text)
  })
}

interface StatusView {
  readonly text: string
  /** A different version is printed. */
  readonly version: unknown
}

/** A failed refresh is shown and retried: the cluster may be unreachable only for a moment. */
function failedView(error: unknown): StatusView {
  const text = `Cannot refresh: ${error instanceof Error ? error.message : String(error)}`
  return { text, version: text }
}

/** @throws only if the first read fails */
async function redrawUntilInterrupted(
  readStatus: (signal: AbortSignal) => Promise<StatusView>,
  io: CommandIO,
) {
  const { stop, release } = io.untilInterrupted()
  let shown: unknown
  try {
    while (!stop.aborted) {
      const { text, version } =
        shown === undefined ? await readStatus(stop) : await readStatus(stop).catch(failedView)
      if (version !== shown) io.redraw(text)
      shown = version
      await sleep(io.clock, refreshIntervalMs, stop)
    }
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    release()
  }
}

async function overviewsIn(
  client: Pick<KubeApi, 'list'>,
  rules: ClassRules,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Overview[]> {
  const namespace = rules.controllerNamespace
  const [controllers, ingresses, classes] = await Promise.all([
    client.list(IngressController, { namespace, signal }),
    client.list(Ingress, { signal }),
    client.list(IngressClass, { signal }),
  ])
  const selected = chosen(controllers.items, names, namespace)
  const selectsNamespaces = selected.some(({ status }) => status?.namespaceSelector !== undefined)
  const namespaces = selectsNamespaces ? (await client.list(Namespace, { signal })).items : []
  const served = { ingresses: ingresses.items, classes: classes.items, namespaces }
  return selected.map((controller) => overview(controller, served, rules))
}

function chosen(controllers: readonly Persisted<Controller>[], names: readonly string[], namespace: string) {
  if (names.length === 0) return controllers
  return names.map((name) => {
    const found = controllers.find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(noSuchController(name, namespace, controllers))
    return found
  })
}
