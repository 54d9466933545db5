import { type AskedChange, applied, plan, strategyTypes } from '@portcullis/operator'
import { Command, Option } from 'commander'
import { addClusterOptions, clusterOptions } from '../../connection/cluster-options.ts'
import { withCluster } from '../../connection/with-cluster.ts'
import { paint } from '../../io/colours.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { inForm, type Output, outputOption } from '../../io/output.ts'
import { parseCount } from '../../options/duration.ts'
import { admitController } from '../../planned-change/admit-controller.ts'
import { addOperatorOptions, loadClusterState } from '../../planned-change/cluster-state.ts'
import { exitCodeOf, planExitCodes, printedPlan } from '../../planned-change/report.ts'
import { liveController, requestedController } from '../../planned-change/requested-controller.ts'
import { readControllers } from './controller-files.ts'

interface Options extends AskedChange {
  readonly filename?: readonly string[]
  readonly output: Output
}

const port = parseCount(1, 65_535)

/** `portcullis plan`: what the operator would do if this were applied. Nothing is written. */
export function planCommand(io: CommandIO): Command {
  const command = new Command('plan')
    .description(
      'show what the operator would do if IngressControllers were applied or changed; writes nothing',
    )
    .argument('[controller]', 'the IngressController that the options below change')
    .option(
      '-f, --filename <file...>',
      'files with IngressControllers, in YAML or JSON; - for standard input',
    )
    .addOption(
      new Option('--type <type>', 'change the type of the endpoint publishing strategy').choices(
        strategyTypes,
      ),
    )
    .addOption(
      new Option('--scope <scope>', 'change the scope of the load balancer').choices([
        'Internal',
        'External',
      ]),
    )
    .addOption(
      new Option('--load-balancer-type <type>', 'change the type of the load balancer, on AWS').choices([
        'Classic',
        'NLB',
      ]),
    )
    .option('--http-port <n>', 'change the host port for HTTP', port)
    .option('--https-port <n>', 'change the host port for HTTPS', port)
    .option('--stats-port <n>', 'change the host port for health checks', port)
    .option('--replicas <n>', 'change the number of routers', parseCount(0, 100_000))
    .addOption(outputOption())
  return addClusterOptions(addOperatorOptions(command))
    .addHelpText('after', help)
    .action((name: string | undefined, options: Options) => run(name, options, command, io))
}

const help = `
Signs: + create, ~ change, -/+ replace, - delete.

Exit codes:
  ${planExitCodes.nothing}  no changes
  ${planExitCodes.changes}  changes
  ${planExitCodes.interrupts}  changes that interrupt traffic, at once or when you proceed with a change that waits for you
  1  the plan could not be made

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
  const { filename: files, output, ...change } = options
  const cluster = clusterOptions(command)
  if ((name === undefined) === (files === undefined))
    throw new Error(
      'Specify either files (-f FILE), or an IngressController and what to change (default --scope Internal).',
    )
  const inFiles = files === undefined ? undefined : await readControllers(files, cluster.namespace, io)
  await withCluster(io, cluster, async (client) => {
    const state = await loadClusterState(client, command, cluster.namespace)
    const wanted = inFiles?.map(({ source, controller }) => {
      const live = liveController(state, controller.metadata.name)
      return admitController(applied(live, controller), live, source)
    }) ?? [requestedController(name ?? '', change, state, cluster.namespace)]
    const result = plan({ ...state, wanted, now: io.clock.now() })
    io.print(inForm(output, printedPlan(result), paint(io.colours)))
    io.exitWith(exitCodeOf(result))
  })
}
