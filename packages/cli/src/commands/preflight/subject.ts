import {
  connectTo,
  healthChecks,
  type LiveCluster,
  memberPorts,
  type ProbeContext,
  readLiveCluster,
  type Subject,
  type Target,
} from '@portcullis/onprem'
import { defaultSettings } from '@portcullis/operator'
import { withCluster } from '../../connection/with-cluster.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { portsFrom, readCluster } from '../../options/planned-cluster-options.ts'
import type { PreflightOptions } from './command.ts'

/** The options that select a running cluster. */
export interface LiveOptions {
  readonly kubeconfig?: string
  readonly context?: string
  /** The namespace of the IngressControllers. */
  readonly namespace: string
  readonly ingressController: string
}

type Read = Omit<Subject, 'limits'>

/** Reads what to check, from the install-config and the flags, or from a running cluster. */
export async function readSubject(
  options: PreflightOptions,
  io: CommandIO,
  probeContext: ProbeContext,
): Promise<Read> {
  return options.kubeconfig === undefined ? readPlanned(options, io) : readLive(options, io, probeContext)
}

async function readPlanned(options: PreflightOptions, io: CommandIO): Promise<Read> {
  const cluster = await readCluster(io, options, '; or --kubeconfig for a running cluster')
  const { controlPlane, workers, token } = options
  refuseWithoutVips(cluster)
  if (token !== undefined && controlPlane.length === 0)
    throw new Error(
      '--token is given without fake backends: specify their addresses with --control-plane and --workers.',
    )
  const target = {
    ...targetOf(options),
    ...cluster,
    controlPlane,
    routers: workers.length > 0 ? workers : controlPlane,
    ports: portsFrom(options),
  }
  return { target, behind: token === undefined ? 'nobody' : 'fake-backends', cluster: undefined }
}

async function readLive(options: PreflightOptions, io: CommandIO, probeContext: ProbeContext): Promise<Read> {
  probeContext.reportProgress('reading the state of the cluster')
  const live = await readClusterState(options, io)
  const { controlPlane: listedControlPlane, workers: listedRouters, portOffset } = options
  const domain = options.domain ?? live.domain
  if (domain === undefined)
    throw new Error('The IngressController has no domain; specify that of the cluster with --domain.')
  const ports = memberPorts(portOffset, { ...live.routerPorts, ...given(options) })
  const target: Target = {
    ...targetOf(options),
    domain,
    apiVips: options.apiVip ?? live.apiVips,
    ingressVips: options.ingressVip ?? live.ingressVips,
    nodesAskOutside: live.nodesAskOutside,
    controlPlane: live.controlPlane.map(({ address }) => address),
    routers: live.routers.map(({ address }) => address),
    // A running cluster no longer has a bootstrap machine.
    bootstrap: undefined,
    ports,
  }
  refuseWithoutVips(target)
  const health = live.routers.map(({ address }) => {
    const { path, isTls } = healthChecks.router
    return connectTo({ address, port: ports.router, isTls, path, name: undefined }, probeContext)
  })
  const { controlPlane, routers } = live
  const routerHealth = await Promise.all(health)
  const cluster = { controlPlane, routers, listedControlPlane, listedRouters, routerHealth }
  return { target, behind: 'nodes', cluster }
}

function given({ httpPort, httpsPort, statsPort }: PreflightOptions) {
  return {
    ...(httpPort !== undefined && { httpPort }),
    ...(httpsPort !== undefined && { httpsPort }),
    ...(statsPort !== undefined && { statsPort }),
  }
}

function targetOf({ bootstrap, portOffset: frontPortOffset, vantage }: PreflightOptions) {
  return { bootstrap, frontPortOffset, vantage }
}

function refuseWithoutVips({ apiVips, ingressVips }: Pick<Target, 'apiVips' | 'ingressVips'>): void {
  if (apiVips.length > 0 && ingressVips.length > 0) return
  throw new Error(
    'There are no virtual IPs to check in the install-config or the status of the cluster; specify --api-vip and --ingress-vip.',
  )
}

function readClusterState(
  { kubeconfig = '', context, namespace, ingressController: controller }: PreflightOptions,
  io: CommandIO,
): Promise<LiveCluster> {
  const { operandNamespace } = defaultSettings
  return withCluster(io, { kubeconfig, ...(context !== undefined && { context }) }, (client) =>
    readLiveCluster(client, { operatorNamespace: namespace, operandNamespace, controller }),
  )
}
