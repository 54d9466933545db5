import { type Address, inOrder } from '../addresses/address.ts'
import { nodeAddresses } from '../addresses/node-addresses.ts'
import { serviceAddresses } from '../addresses/service-addresses.ts'
import type { Infrastructure } from '../api/infrastructure.ts'
import { isBeingDeleted } from '../kube/finalizers.ts'
import type { DeepReadonly } from '../kube/objects.ts'
import { ownerOf } from './names.ts'
import { hostPortsOf } from './placement/host-ports.ts'
import type { Snapshot } from './snapshot.ts'
import type { WantedStrategy } from './strategies/wanted-strategy.ts'

/** Where a controller is reached from outside, by its strategy. */
export function controllerAddresses(snapshot: Snapshot, strategy: WantedStrategy): readonly Address[] {
  const { controller, operands, nodes, pods, infrastructure } = snapshot
  const isOurs = (object: { readonly metadata: object }) => ownerOf(object) === controller.metadata.name
  switch (strategy.type) {
    case 'LoadBalancerService': {
      const { loadBalancer: service } = operands
      return service && isOurs(service) && !isBeingDeleted(service) ? serviceAddresses(service) : []
    }
    case 'HostNetwork': {
      const vips = customersVips(infrastructure)
      const ports = hostPortsOf(strategy).filter(({ name }) => name !== 'metrics')
      return vips.length > 0
        ? vips
        : nodeAddresses(
            nodes,
            pods,
            ports.map(({ number }) => number),
          )
    }
    case 'NodePortService': {
      const ports = (operands.nodePortService?.spec?.ports ?? []).filter(({ name }) => name !== 'metrics')
      return nodeAddresses(
        nodes,
        pods,
        ports.flatMap(({ nodePort }) => nodePort ?? []),
      )
    }
    case 'Private':
      return []
  }
}

/** Before nodes on the customer's premises stands the customer's own load balancer, at addresses that are known. */
function customersVips(infrastructure: DeepReadonly<Infrastructure> | undefined): readonly Address[] {
  const { baremetal, nutanix, openstack, ovirt, vsphere } = infrastructure?.status?.platformStatus ?? {}
  const owned = [baremetal, nutanix, openstack, ovirt, vsphere].filter(
    (platform) => platform?.loadBalancer?.type === 'UserManaged',
  )
  return inOrder(owned.flatMap((platform) => platform?.ingressIPs ?? []).map((ip) => ({ ip })))
}
