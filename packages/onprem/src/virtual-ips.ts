import type { DeepReadonly } from '@portcullis/kube'
import {
  hasCustomersLoadBalancer,
  type InfrastructureObject as Infrastructure,
  type InfrastructureStatus,
} from '@portcullis/operator'
import { infrastructurePlatforms } from './infrastructure-platforms.ts'
import { isOnPremises, type PlatformKey } from './install-config/platforms.ts'
import { type Ip, parseIp } from './ip.ts'
import { type Network, parseNetwork } from './network.ts'

/** A cluster's virtual IPs and who serves them, from its `Infrastructure`. */
export interface VirtualIps {
  readonly platform: PlatformKey
  /** One, or two of different families; none on vSphere alone, where it means that nothing is to be run. */
  readonly api: readonly Ip[]
  readonly ingress: readonly Ip[]
  readonly machineNetworks: readonly Network[]
  /** Who balances the load behind them. */
  readonly servedBy: 'nodes' | 'customer'
  /** Whether the nodes' own DNS servers answer for them. */
  readonly dnsRecords: 'Internal' | 'External'
}

/** Reads what the API server has accepted, or would: a file may not have been there yet. */
export function readVirtualIps({ status }: DeepReadonly<Infrastructure>): VirtualIps {
  const platform = platformOf(status)
  const field = `status.platformStatus.${platform}`
  const written = status?.platformStatus?.[platform] ?? {}
  const { apiServerInternalIPs, apiServerInternalIP, ingressIPs, ingressIP } = written
  const api = addresses(`${field}.apiServerInternalIPs`, apiServerInternalIPs, apiServerInternalIP)
  const ingress = addresses(`${field}.ingressIPs`, ingressIPs, ingressIP)
  const missing = [
    ...(api.length > 0 ? [] : ['apiServerInternalIPs']),
    ...(ingress.length > 0 ? [] : ['ingressIPs']),
  ]
  if (missing.length > 0 && !(platform === 'vsphere' && missing.length === 2))
    throw new Error(
      `The Infrastructure has no ${field}.${missing.join(' and no ')}, so nothing can answer for API and ingress; write the virtual IPs there.`,
    )
  const servedBy = hasCustomersLoadBalancer(status) ? 'customer' : 'nodes'
  const dnsRecords = written.dnsRecordsType ?? 'Internal'
  if (dnsRecords === 'External' && servedBy === 'nodes')
    throw new Error(
      `${field}.dnsRecordsType is External, which goes with loadBalancer.type UserManaged alone; set it to Internal or remove it.`,
    )
  const machineNetworks = networks(`${field}.machineNetworks`, written.machineNetworks)
  return { platform, api, ingress, machineNetworks, servedBy, dnsRecords }
}

const known = Object.values(infrastructurePlatforms)
  .map(({ type }) => type)
  .join(', ')

function platformOf(status: DeepReadonly<InfrastructureStatus> | undefined): PlatformKey {
  const platformStatus = status?.platformStatus
  if (platformStatus === undefined)
    throw new Error(
      'The Infrastructure has no status.platformStatus, which shows the platform and its virtual IPs; give the object with its status, as "kubectl get infrastructure cluster -o yaml" prints it.',
    )
  const { type } = platformStatus
  const named = Object.entries(infrastructurePlatforms).find(([, each]) => each.type === type)?.[0]
  const platform = named ?? (type === undefined ? Object.keys(platformStatus).find(isOnPremises) : undefined)
  if (platform === undefined || !isOnPremises(platform))
    throw new Error(
      `The Infrastructure is of the platform ${type ?? 'nobody named'}, whose nodes run nothing for virtual IPs; this is for ${known}.`,
    )
  return platform
}

function addresses(field: string, list: readonly string[] = [], single = ''): readonly Ip[] {
  const texts = list.length === 0 && single !== '' ? [single] : list
  const ips = texts.map((text) => {
    const ip = parseIp(text)
    if (ip === undefined) throw new Error(`${field} has "${text}", which is not an IP address; correct it.`)
    return ip
  })
  if (new Set(ips.map(({ family }) => family)).size < ips.length)
    throw new Error(`${field} has several addresses of one family, ${texts.join(' and ')}; keep one of each.`)
  return ips
}

function networks(field: string, texts: readonly string[] = []): readonly Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined)
      throw new Error(`${field} has "${text}", which is not in CIDR notation; correct it.`)
    return network
  })
}
