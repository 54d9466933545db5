import { Deployment, Service } from '@portcullis/kube'
import { nodePortServiceName, ownerOf } from '../ingress/names.ts'
import { protocolOf } from '../ingress/strategies/transition.ts'
import type { SimulationResult } from './simulation.ts'

/** Node ports stay until clients could follow to the load balancer; but a router speaks one protocol at a time. */
export function refusedClients(name: string, before: SimulationResult, after: SimulationResult): string[] {
  const [had, has] = [before, after].map(({ cluster }) =>
    protocolOf(cluster.all(Deployment).find((each) => ownerOf(each) === name)),
  )
  const hadNodePorts = before.cluster
    .all(Service)
    .some((each) => ownerOf(each) === name && each.metadata.name === nodePortServiceName(name))
  const strategy = after.decisions.get(name)?.status?.endpointPublishingStrategy
  if (!hadNodePorts || had !== 'TCP' || has !== 'PROXY' || strategy?.type !== 'LoadBalancerService') return []
  return [
    'Routers begin to expect the PROXY protocol, which the load balancer sends, one after the other: from then on each refuses clients that still use the node ports, and until then requests of the load balancer.',
  ]
}
