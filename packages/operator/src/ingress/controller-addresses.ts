import { type DeepReadonly, isBeingDeleted } from '@portcullis/kube'
import { type Address, inOrder } from '../addresses/address.ts'
import { nodeAddresses } from '../addresses/node-addresses.ts'
import { serviceAddresses } from '../addresses/service-addresses.ts'
import type { StrategyType } from '../api/endpoint-publishing-strategy.ts'
import type { Infrastructure } from '../api/infrastructure.ts'
import { hasCustomersLoadBalancer } from './customers-load-balancer.ts'
import { ownerOf } from './names.ts'
import type { Snapshot } from './snapshot.ts'
import type { WantedStrategy } from './strategies/wanted-strategy.ts'

/**
 * Where a controller is reached from outside: in the way that is wanted, or, until that is open, in one that still is.
 * What is announced is what stands, not what is to come.
 */
export function controllerAddresses(snapshot: Snapshot, strategy: WantedStrategy): readonly Address[] {
  const ways = {
    LoadBalancerService: () => loadBalancerAddresses(snapshot),
    HostNetwork: () => hostAddresses(snapshot),
    NodePortService: () => nodePortAddresses(snapshot),
    Private: () => [],
  } as const satisfies Record<StrategyType, () => readonly Address[]>
  const wanted = ways[strategy.type]()
  if (wanted.length > 0) return wanted
  return (
    Object.values(ways)
      .map((way) => way())
      .find((addresses) => addresses.length > 0) ?? []
  )
}

function loadBalancerAddresses({ controller, operands: { loadBalancer } }: Snapshot): readonly Address[] {
  if (loadBalancer === undefined || isBeingDeleted(loadBalancer)) return []
  return ownerOf(loadBalancer) === controller.metadata.name ? serviceAddresses(loadBalancer) : []
}

/** By the ports that routers really have, whatever they are to have next. */
function hostAddresses({ nodes, pods, infrastructure }: Snapshot): readonly Address[] {
  const onHost = pods.filter(({ spec }) => spec?.hostNetwork === true)
  const vips = onHost.length > 0 ? customersVips(infrastructure) : []
  if (vips.length > 0) return vips
  return nodeAddresses(nodes, onHost, ({ spec }) =>
    (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.flatMap(({ name, hostPort }) => (hostPort && name !== 'metrics' ? [hostPort] : [])),
    ),
  )
}

function nodePortAddresses({ controller, nodes, pods, operands }: Snapshot): readonly Address[] {
  const service = operands.nodePortService
  if (service === undefined || isBeingDeleted(service)) return []
  if (ownerOf(service) !== controller.metadata.name) return []
  const ports = (service.spec?.ports ?? []).flatMap(({ name, nodePort }) =>
    nodePort && name !== 'metrics' ? [nodePort] : [],
  )
  return nodeAddresses(nodes, pods, () => ports)
}

/** Before nodes on the customer's premises stands the customer's own load balancer, at addresses that are known. */
function customersVips(infrastructure: DeepReadonly<Infrastructure> | undefined): readonly Address[] {
  if (!hasCustomersLoadBalancer(infrastructure?.status)) return []
  const { baremetal, nutanix, openstack, ovirt, vsphere } = infrastructure?.status?.platformStatus ?? {}
  const platforms = [baremetal, nutanix, openstack, ovirt, vsphere]
  const ips = platforms.flatMap((platform) => platform?.ingressIPs ?? [])
  return inOrder(ips.map((ip) => ({ ip })))
}
