import { nodePortServiceName } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { routerService } from './router-service.ts'

/**
 * The same ports on every node lead to the routers. Which ports, the cluster chooses; those that a user fixed stay. On
 * that of the metrics a load balancer before the nodes asks whether a node has a router that is ready (BZ1881210).
 */
export function nodePortService(snapshot: Pick<Snapshot, 'controller' | 'settings'>) {
  return routerService(snapshot, nodePortServiceName(snapshot.controller.metadata.name), {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
  })
}
