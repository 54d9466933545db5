import { internalServiceName } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { routerService } from './router-service.ts'

/** How the cluster itself reaches the routers, for traffic and metrics. */
export function internalService(snapshot: Pick<Snapshot, 'controller' | 'settings'>) {
  return routerService(snapshot, internalServiceName(snapshot.controller.metadata.name), {
    type: 'ClusterIP',
  })
}
