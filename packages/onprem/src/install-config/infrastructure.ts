import type { InfrastructureObject as Infrastructure } from '@portcullis/operator'
import { infrastructurePlatforms } from '../infrastructure-platforms.ts'
import { formatIp, type Ip } from '../ip.ts'
import { formatNetwork, hostIn } from '../network.ts'
import {
  domainIn,
  type InstallConfig,
  type OnPremises,
  readInstallConfig,
  type Vips,
} from './install-config.ts'
import type { Value } from './value.ts'
import { readYaml } from './yaml.ts'

/**
 * The `Infrastructure` of the cluster that an install-config.yaml without errors makes, as far as load balancers go.
 * What the file does not contain is an error: an address that the installer would ask DNS for, or a cluster without a name.
 */
export function infrastructureFrom(text: string): Infrastructure {
  const { root } = readYaml(text)
  const config = readInstallConfig(root, undefined)
  const { platform } = config
  if (platform === undefined)
    throw new Error(
      'This install-config names no platform on your own premises, so it has no virtual IPs; this is for baremetal, nutanix, openstack, ovirt and vsphere.',
    )
  const domain = domainOf(config)
  const { type, hasSpec } = infrastructurePlatforms[platform.key]
  const addresses = addressesOf(config, platform)
  const [apiServerInternalIP] = addresses.apiServerInternalIPs ?? []
  const [ingressIP] = addresses.ingressIPs ?? []
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    spec: { platformSpec: { type, ...(hasSpec && { [platform.key]: addresses }) } },
    status: {
      platform: type,
      platformStatus: {
        type,
        [platform.key]: {
          ...(apiServerInternalIP !== undefined && { apiServerInternalIP }),
          ...(ingressIP !== undefined && { ingressIP }),
          ...addresses,
          ...choicesOf(platform, apiServerInternalIP !== undefined),
        },
      },
      apiServerURL: `https://api.${domain}:6443`,
      apiServerInternalURI: `https://api-int.${domain}:6443`,
      etcdDiscoveryDomain: domain,
      ...topologyOf(root),
    },
  }
}

function domainOf(config: InstallConfig): string {
  const domain = domainIn(config)
  if (domain !== undefined) return domain
  const { root } = config
  const [name, base] = [root.field('metadata')?.field('name')?.text, root.field('baseDomain')?.text]
  const missing = [...(name ? [] : ['metadata.name']), ...(base ? [] : ['baseDomain'])]
  throw new Error(
    `This install-config has no ${missing.join(' and no ')}, so the name of the API is not known; write ${missing.length === 1 ? 'it' : 'both'}.`,
  )
}

interface Addresses {
  readonly apiServerInternalIPs?: string[]
  readonly ingressIPs?: string[]
  readonly machineNetworks?: string[]
}

/** Nothing where there are no virtual IPs: on vSphere that means an external load balancer. */
function addressesOf(config: InstallConfig, platform: OnPremises): Addresses {
  const apiServerInternalIPs = vipsOf(config, platform, platform.api)
  const ingressIPs = vipsOf(config, platform, platform.ingress)
  if (apiServerInternalIPs.length === 0) return {}
  const { hasSpec } = infrastructurePlatforms[platform.key]
  const machineNetworks = config.networking.machine.all.map(({ network }) => formatNetwork(network))
  return { apiServerInternalIPs, ingressIPs, ...(hasSpec && { machineNetworks }) }
}

/** The places in the network at which OpenStack's virtual IPs are put where none are given. */
const derivedPlaces = { API: 5n, ingress: 7n } as const

function vipsOf(config: InstallConfig, platform: OnPremises, vips: Vips): string[] {
  const ips = vips.addresses.map(({ ip }) => ip)
  if (ips.length === 0 && platform.withoutVips === 'looked-up')
    throw new Error(
      `${platform.value.path}.${vips.field} is missing, so the installer will look it up in DNS, and this file alone does not show it; write the address there.`,
    )
  if (ips.length === 0 && platform.withoutVips === 'derived') {
    const [first] = config.networking.machine.all
    return first === undefined ? [] : [formatIp(hostIn(first.network, derivedPlaces[vips.use]))]
  }
  return (platform.mayPreferIpv6 ? ips : ips.toSorted(byFamily)).map(formatIp)
}

function byFamily(one: Ip, other: Ip): number {
  return one.family - other.family
}

/** The API server fills in the load balancer where nothing is said, and freezes it; with virtual IPs it is said. */
function choicesOf({ value, loadBalancer }: OnPremises, hasVips: boolean) {
  const isSaid = value.field('loadBalancer') !== undefined
  const dnsRecordsType = value.field('dnsRecordsType')?.text
  return {
    ...((isSaid || hasVips) && { loadBalancer: { type: loadBalancer } }),
    ...((dnsRecordsType === 'Internal' || dnsRecordsType === 'External') && { dnsRecordsType }),
  }
}

/** Whether control plane and routers have several nodes to run on; without workers routers run on the control plane. */
function topologyOf(root: Value) {
  const ofControlPlane = replicasOf(root.field('controlPlane'))
  const pools = root.field('compute')?.items ?? []
  const workers = pools.length === 0 ? 3 : pools.reduce((sum, pool) => sum + replicasOf(pool), 0)
  const nodes = workers === 0 ? ofControlPlane : workers
  return {
    controlPlaneTopology: controlPlaneTopology(ofControlPlane, replicasOf(root.field('arbiter'), 0)),
    infrastructureTopology: nodes === 1 ? 'SingleReplica' : 'HighlyAvailable',
  } as const
}

function controlPlaneTopology(nodes: number, arbiters: number) {
  if (arbiters > 0) return 'HighlyAvailableArbiter'
  if (nodes === 1) return 'SingleReplica'
  return nodes === 2 ? 'DualReplica' : 'HighlyAvailable'
}

function replicasOf(pool: Value | undefined, otherwise = 3): number {
  const written = pool?.field('replicas')?.text ?? ''
  return /^\d{1,6}$/.test(written) ? Number(written) : otherwise
}
