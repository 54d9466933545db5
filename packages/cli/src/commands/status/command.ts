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

const everyMs = 2000

/** `portcullis status`: what is published where, what is pending, and what to do about it. */
export function statusCommand(io: CommandIO): Command {
  const command = new Command('status')
    .description(
      'show where IngressControllers are published, which changes wait for you and what is wrong, with commands to fix it',
    )
    .argument('[controller...]', 'the IngressControllers to show (default: all)')
    .addOption(outputOption())
    .option(
      '--config <file>',
      'the configuration file of the operator, if it says which Ingresses belong to the operator',
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

async function run(names: readonly string[], given: Options, command: Command, io: CommandIO) {
  const { output, watch, config } = given
  const options = clusterOptions(command)
  const { configuration } = await readConfiguration(operatorConfiguration, config, command)
  const rules = { ...addressSettingsOf(configuration), controllerNamespace: options.namespace }
  await withCluster(io, options, async (client) => {
    const look = async (signal?: AbortSignal): Promise<StatusView> => {
      const overviews = await overviewsIn(client, rules, names, signal)
      const printed = printedStatus(overviews, options.namespace, io.clock.now())
      return {
        text: inForm(output, printed, paint(io.colours)),
        // On a terminal the time that has passed is worth a new picture; elsewhere it would be noise.
        news: io.isTerminal ? io.clock.now() : JSON.stringify(printed.data),
      }
    }
    if (watch) await redrawUntilInterrupted(look, io)
    else io.print((await look()).text)
  })
}

interface StatusView {
  readonly text: string
  /** Another one: look again. */
  readonly news: unknown
}

/** A cluster that cannot be asked for a moment is no reason to look away. */
function failedView(error: unknown): StatusView {
  const text = `Cannot refresh: ${error instanceof Error ? error.message : String(error)}`
  return { text, news: text }
}

/** @throws only at the first look */
async function redrawUntilInterrupted(look: (signal: AbortSignal) => Promise<StatusView>, io: CommandIO) {
  const { stop, release } = io.untilInterrupted()
  let shown: unknown
  try {
    while (!stop.aborted) {
      const { text, news } = shown === undefined ? await look(stop) : await look(stop).catch(failedView)
      if (news !== shown) io.redraw(text)
      shown = news
      await sleep(io.clock, everyMs, stop)
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
  const asked = chosen(controllers.items, names, namespace)
  const selectsNamespaces = asked.some(({ status }) => status?.namespaceSelector !== undefined)
  const namespaces = selectsNamespaces ? (await client.list(Namespace, { signal })).items : []
  const served = { ingresses: ingresses.items, classes: classes.items, namespaces }
  return asked.map((controller) => overview(controller, served, rules))
}

function chosen(controllers: readonly Persisted<Controller>[], names: readonly string[], namespace: string) {
  if (names.length === 0) return controllers
  return names.map((name) => {
    const found = controllers.find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(noSuchController(name, namespace, controllers))
    return found
  })
}
