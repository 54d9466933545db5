import { ourLoadBalancer, plan, quoted, type Scope, snapshotFrom, wantedStrategy } from '@portcullis/operator'
import { Argument, Command } from 'commander'
import { addClusterOptions, clusterFlags, clusterOptions } from '../../connection/cluster-options.ts'
import { noSuchController } from '../../connection/no-such-controller.ts'
import { withCluster } from '../../connection/with-cluster.ts'
import { paint } from '../../io/colours.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { inForm } from '../../io/output.ts'
import { parseDuration } from '../../options/duration.ts'
import {
  addOperatorOptions,
  type ClusterState,
  loadClusterState,
} from '../../planned-change/cluster-state.ts'
import { printedPlan } from '../../planned-change/report.ts'
import { requestedController } from '../../planned-change/requested-controller.ts'
import { ScopeChange, type ScopeOptions, scopeExitCodes } from './scope-change.ts'

type Options = ScopeOptions & { readonly revert: boolean }

/** `portcullis scope`: changes the scope of a load balancer, from the plan until the change is complete. */
export function scopeCommand(io: CommandIO): Command {
  const command = new Command('scope')
    .description(
      'change the scope of the load balancer of an IngressController: show the plan, ask, apply it and wait for it',
    )
    .argument('<controller>', 'the IngressController')
    .addArgument(new Argument('[scope]', 'the new scope').choices(['Internal', 'External']))
    .option('--yes', 'apply without asking; does not by itself delete a load balancer', false)
    .option(
      '--delete-load-balancer',
      'delete the load balancer where the cloud cannot change its scope in place; this interrupts traffic',
      false,
    )
    .option('--revert', 'revert a change that waits for you', false)
    .option('--timeout <duration>', 'how long to wait for the change (default: 15m)', parseDuration)
  return addClusterOptions(addOperatorOptions(command))
    .addHelpText('after', help)
    .action((name: string, scope: Scope | undefined, options: Options) =>
      run(name, scope, options, command, io),
    )
}

const help = `
Where the cloud cannot change the scope of a live load balancer, the change waits until its Service is deleted. You are
asked about that separately: type the name of the Service, or use --delete-load-balancer. Ctrl-C is safe at any time: run
the same command again to continue.

Exit codes:
  ${scopeExitCodes.done}    the load balancer has the scope
  ${scopeExitCodes.failed}    nothing was changed, the operator rejected the change, or --timeout has passed
  ${scopeExitCodes.waits}    the change has been applied and waits for you
  ${scopeExitCodes.interrupted}  interrupted by Ctrl-C, or standard output was closed

Examples:
  portcullis scope default Internal
  portcullis scope default Internal --yes --delete-load-balancer
  portcullis scope default --revert`

async function run(
  name: string,
  requested: Scope | undefined,
  options: Options,
  command: Command,
  io: CommandIO,
): Promise<void> {
  if ((requested === undefined) !== options.revert)
    throw new Error(
      'Specify the new scope (Internal or External), or --revert to revert a change that waits for you.',
    )
  const cluster = clusterOptions(command)
  const flags = clusterFlags(cluster)
  const { stop, release } = io.untilInterrupted()
  try {
    await withCluster(io, cluster, async (client) => {
      const state = await loadClusterState(client, command, cluster.namespace, stop).catch(
        (error: unknown) => {
          if (!stop.aborted) throw error
          io.printError('\nNothing was changed.')
          io.exitWith(scopeExitCodes.interrupted)
        },
      )
      if (state === undefined) return
      const scope = requested ?? scopeToRevertTo(name, state, io.clock.now())
      refuseWithoutLoadBalancer(name, state, io.clock.now(), flags)
      const wanted = requestedController(name, { scope }, state, cluster.namespace)
      const planned = plan({ ...state, wanted: [wanted], now: io.clock.now() })
      io.print(inForm('table', printedPlan(planned), paint(io.colours)))
      const { settings } = state
      const commandLine = `portcullis scope ${quoted(name)}${flags}`
      const change = new ScopeChange({ io, client, stop, options, name, scope, settings, commandLine })
      io.exitWith(await change.apply(planned))
    })
  } finally {
    release()
  }
}

/** The scope that the load balancer has: to revert a change that waits is to ask for that scope. */
function scopeToRevertTo(name: string, state: ClusterState, now: Date): Scope {
  const snapshot = snapshotOf(name, state, now)
  const { platform } = snapshot.platform
  const observed = platform && ourLoadBalancer(snapshot, platform)
  if (observed === undefined)
    throw new Error(`IngressController "${name}" has no load balancer: there is nothing to revert.`)
  return observed.scope
}

function refuseWithoutLoadBalancer(name: string, state: ClusterState, now: Date, flags: string): void {
  const type = wantedStrategy(snapshotOf(name, state, now))?.type
  if (type === 'LoadBalancerService') return
  throw new Error(
    `IngressController "${name}" is published by ${type ?? 'nothing yet'}, which has no scope. \`portcullis plan ${quoted(name)} --type LoadBalancerService --scope Internal${flags}\` shows what it takes to give it a load balancer.`,
  )
}

function snapshotOf(name: string, { objects, settings, controllers }: ClusterState, now: Date) {
  const snapshot = snapshotFrom(objects, settings, name, now)
  if (snapshot === undefined) throw new Error(noSuchController(name, settings.operatorNamespace, controllers))
  return snapshot
}
