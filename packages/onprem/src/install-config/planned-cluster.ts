import type { NamedCluster } from '../dns/cluster-names.ts'
import { formatNetwork } from '../network.ts'
import { refusalToRead } from './check.ts'
import { domainIn, type InstallConfig, readInstallConfig } from './install-config.ts'
import { readYaml } from './yaml.ts'

/** What an install-config.yaml says of the cluster to be that its load balancer must know. */
export interface PlannedCluster extends NamedCluster {
  readonly machineNetworks: readonly string[]
  /** Whether there are to be no compute nodes: then routers run on the control plane. */
  readonly isCompact: boolean
}

/**
 * Reads it from the file, right or wrong: that is for {@link checkInstallConfig} to say. Loopback addresses, which that
 * refuses, are good for a rehearsal.
 *
 * @throws a sentence if the cluster has no name in it
 */
export function plannedCluster(text: string): PlannedCluster {
  const refusal = refusalToRead(text)
  if (refusal !== undefined) throw new Error(refusal)
  const cluster = clusterIn(readInstallConfig(readYaml(text).root, undefined))
  if (cluster !== undefined) return cluster
  throw new Error('The install-config has no metadata.name or no baseDomain; set both.')
}

/** The same, of a file that has been read; undefined if the cluster has no name in it. */
export function clusterIn(config: InstallConfig): PlannedCluster | undefined {
  const { root, platform, networking } = config
  const domain = domainIn(config)
  if (domain === undefined) return undefined
  const pools = root.field('compute')?.items ?? []
  return {
    domain,
    apiVips: (platform?.api.addresses ?? []).map(({ value }) => value.text),
    ingressVips: (platform?.ingress.addresses ?? []).map(({ value }) => value.text),
    nodesAskOutside: nodesAskOutside(config),
    machineNetworks: networking.machine.all.map(({ network }) => formatNetwork(network)),
    isCompact: pools.length > 0 && pools.every((pool) => pool.field('replicas')?.text === '0'),
  }
}

/** Nodes answer for `api-int` themselves, but for some: a bootstrap machine on vSphere runs no CoreDNS of its own. */
function nodesAskOutside({ platform }: InstallConfig): boolean {
  if (platform === undefined || platform.api.addresses.length === 0) return true
  if (platform.value.field('dnsRecordsType')?.text === 'External') return true
  return platform.key === 'vsphere' && platform.loadBalancer === 'UserManaged'
}
