import { applyMergePatch } from '@portcullis/kube'
import {
  type AskedChange,
  applied,
  patchFor,
  plan,
  strategyTypes,
  type WantedController,
} from '@portcullis/operator'
import { Command, Option } from 'commander'
import { addClusterOptions, clusterOptions } from '../../connection/cluster-options.ts'
import { noSuchController } from '../../connection/no-such-controller.ts'
import { withCluster } from '../../connection/with-cluster.ts'
import { paint } from '../../io/colours.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { inForm, type Output, outputOption } from '../../io/output.ts'
import { parseCount } from '../../options/duration.ts'
import { admitController } from './admit-controller.ts'
import { addOperatorOptions, type Circumstances, loadClusterState } from './cluster-state.ts'
import { readControllers } from './controller-files.ts'
import { exitCodeOf, planExitCodes, printedPlan } from './report.ts'

interface Options extends AskedChange {
  readonly filename?: readonly string[]
  readonly output: Output
}

const port = parseCount(1, 65_535)

/** `portcullis plan`: what would happen if this were applied. Nothing is written. */
export function planCommand(io: CommandIO): Command {
  const command = new Command('plan')
    .description(
      'tell what would happen if IngressControllers were applied, by what the operator itself would decide; writes nothing',
    )
    .argument('[controller]', 'the IngressController that the options below are to change')
    .option('-f, --filename <file...>', 'files with IngressControllers, YAML or JSON; - reads standard input')
    .addOption(new Option('--type <type>', 'another strategy').choices(strategyTypes))
    .addOption(new Option('--scope <scope>', 'another scope').choices(['Internal', 'External']))
    .addOption(
      new Option('--load-balancer-type <type>', 'another type of load balancer, on AWS').choices([
        'Classic',
        'NLB',
      ]),
    )
    .option('--http-port <n>', 'another port of the nodes for HTTP', port)
    .option('--https-port <n>', 'another port of the nodes for HTTPS', port)
    .option('--stats-port <n>', 'another port of the nodes for health checks', port)
    .option('--replicas <n>', 'another number of routers', parseCount(0, 100_000))
    .addOption(outputOption())
  return addClusterOptions(addOperatorOptions(command))
    .addHelpText('after', help)
    .action((name: string | undefined, options: Options) => run(name, options, command, io))
}

const help = `
Signs: + comes, ~ changes, -/+ is replaced, - goes.

Exit codes:
  ${planExitCodes.nothing}  nothing to do
  ${planExitCodes.changes}  changes
  ${planExitCodes.interrupts}  changes that interrupt traffic, at once or when you run the command that they wait for
  1  it could not be found out

Examples:
  portcullis plan -f public.yaml -f internal.yaml
  portcullis plan default --scope Internal
  portcullis plan edge --http-port 8080 --https-port 8443 -o json`

async function run(
  name: string | undefined,
  options: Options,
  command: Command,
  io: CommandIO,
): Promise<void> {
  const { filename: files, output, ...asked } = options
  const cluster = clusterOptions(command)
  if ((name === undefined) === (files === undefined))
    throw new Error(
      'Say either which files to plan (-f FILE), or which IngressController and what to change of it (default --scope Internal).',
    )
  const inFiles = files === undefined ? undefined : await readControllers(files, cluster.namespace, io)
  await withCluster(io, cluster, async (client) => {
    const around = await loadClusterState(client, command, cluster.namespace)
    const wanted = inFiles?.map(({ source, controller }) => {
      const live = liveOf(around, controller.metadata.name)
      return admitController(applied(live, controller), live, source)
    }) ?? [askedOf(name ?? '', asked, around, cluster.namespace)]
    const result = plan({ ...around, wanted, now: io.clock.now() })
    io.print(inForm(output, printedPlan(result), paint(io.colours)))
    io.exitWith(exitCodeOf(result))
  })
}

function liveOf({ controllers }: Circumstances, name: string) {
  return controllers.find(({ metadata }) => metadata.name === name) as WantedController | undefined
}

/** The controller as it would be with a change that is asked for on the command line. */
export function askedOf(
  name: string,
  asked: AskedChange,
  around: Circumstances,
  namespace: string,
): WantedController {
  const live = liveOf(around, name)
  if (live === undefined) throw new Error(noSuchController(name, namespace, around.controllers))
  const spec = patchFor(asked, live.spec)
  return admitController(applyMergePatch(live, { spec }), live, 'The change that you ask for')
}
