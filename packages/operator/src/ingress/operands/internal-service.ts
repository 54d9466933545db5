import { noteOfAdmitted } from '../last-admitted.ts'
import { internalServiceName } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { routerService } from './router-service.ts'

/** How the cluster itself reaches the routers, for traffic and metrics. */
export function internalService(snapshot: Pick<Snapshot, 'controller' | 'settings'>) {
  const { metadata, spec } = snapshot.controller
  const service = routerService(snapshot, internalServiceName(metadata.name), { type: 'ClusterIP' })
  return { ...service, metadata: { ...service.metadata, annotations: noteOfAdmitted(spec) } }
}
