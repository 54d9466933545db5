import type { EndpointAddress, EndpointSubset } from 'kubernetes-types/core/v1'
import { type EndpointGroup, type ServiceEndpoint, targetRef } from './service-endpoints.ts'

/** The same groups in the older form. Pods that are on their way out do not appear in it. */
export function subsetsOf(groups: readonly EndpointGroup[]): EndpointSubset[] {
  return groups.flatMap(({ ports, endpoints }) => {
    const staying = endpoints.filter(({ terminating }) => !terminating)
    if (staying.length === 0) return []
    const addresses = staying
      .filter(({ ready }) => ready)
      .map(addressOf)
      .sort(byIp)
    const notReadyAddresses = staying
      .filter(({ ready }) => !ready)
      .map(addressOf)
      .sort(byIp)
    return [
      {
        ...(addresses.length > 0 && { addresses }),
        ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
        ports: ports.map(({ name, ...port }) => ({ ...(name !== '' && { name }), ...port })),
      },
    ]
  })
}

function addressOf({ ip, nodeName, pod }: ServiceEndpoint): EndpointAddress {
  return { ip, ...(nodeName !== undefined && { nodeName }), targetRef: targetRef(pod) }
}

const byIp = (a: EndpointAddress, b: EndpointAddress) => (a.ip < b.ip ? -1 : 1)
