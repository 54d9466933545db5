import { masked, type Network, network, parseNetwork } from '../network.ts'
import type { Value } from './value.ts'

/** The networks of the cluster to be, as written or as the installer fills them in. */
export interface Networking {
  readonly machine: Networks
  readonly cluster: Networks
  readonly service: Networks
  /** What OVN-Kubernetes takes for itself; nothing where another plugin is chosen. */
  readonly ovn: readonly OvnNetwork[]
}

export interface Networks {
  readonly use: NetworkUse
  /** The list in the file; undefined where the installer's default holds. */
  readonly written: Value | undefined
  /** What is in the list, right or wrong. */
  readonly values: readonly Value[]
  readonly all: readonly WrittenNetwork[]
}

export type NetworkUse = 'machine' | 'cluster' | 'service'

export interface WrittenNetwork {
  /** Undefined for a default. */
  readonly value: Value | undefined
  readonly network: Network
}

export interface OvnNetwork extends WrittenNetwork {
  readonly purpose: string
}

/** The names of fields: as they are, as they once were, and below which name an item has its network. */
const fields = {
  machine: { name: 'machineNetwork', deprecated: 'machineCIDR', otherwise: '10.0.0.0/16' },
  cluster: { name: 'clusterNetwork', deprecated: 'clusterNetworks', otherwise: '10.128.0.0/14' },
  service: { name: 'serviceNetwork', deprecated: 'serviceCIDR', otherwise: '172.30.0.0/16' },
} as const satisfies Record<NetworkUse, object>

const ovnDefaults: readonly OvnNetwork[] = [
  { purpose: 'join', value: undefined, network: network('100.64.0.0/16') },
  { purpose: 'transit', value: undefined, network: network('100.88.0.0/16') },
  { purpose: 'masquerade', value: undefined, network: network('169.254.0.0/17') },
  { purpose: 'join', value: undefined, network: network('fd98::/64') },
  { purpose: 'transit', value: undefined, network: network('fd97::/64') },
  { purpose: 'masquerade', value: undefined, network: network('fd69::/112') },
]

export function readNetworking(networking: Value | undefined): Networking {
  return {
    machine: readNetworks('machine', networking),
    cluster: readNetworks('cluster', networking),
    service: readNetworks('service', networking),
    ovn: readOvn(networking),
  }
}

function readNetworks(use: NetworkUse, networking: Value | undefined): Networks {
  const { name, deprecated, otherwise } = fields[use]
  const written = [name, deprecated]
    .map((each) => networking?.field(each))
    .find((value) => value !== undefined && (value.kind === 'text' || value.items.length > 0))
  if (written === undefined) {
    return { use, written, values: [], all: [{ value: undefined, network: network(otherwise) }] }
  }
  const values = (written.kind === 'text' ? [written] : written.items).map(
    (item) => item.field('cidr') ?? item,
  )
  const all = values.flatMap((value): WrittenNetwork[] => {
    const parsed = parseNetwork(value.text)
    return parsed === undefined ? [] : [{ value, network: masked(parsed) }]
  })
  return { use, written, values, all }
}

function readOvn(networking: Value | undefined): readonly OvnNetwork[] {
  const type = networking?.field('networkType')?.text ?? 'OVNKubernetes'
  if (type.toLowerCase() !== 'ovnkubernetes') return []
  const value = networking?.field('ovnKubernetesConfig')?.field('ipv4')?.field('internalJoinSubnet')
  const join = value && parseNetwork(value.text)
  if (join === undefined) return ovnDefaults
  const others = ovnDefaults.filter(({ purpose, network }) => purpose !== 'join' || network.family !== 4)
  return [{ purpose: 'join', value, network: masked(join) }, ...others]
}

/** Whether Services get addresses of both families: that is what makes a cluster dual-stack. */
export function isDualStack({ service }: Networking): boolean {
  return new Set(service.all.map(({ network }) => network.family)).size === 2
}
