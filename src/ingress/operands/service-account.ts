import type { ServiceAccount } from 'kubernetes-types/core/v1'
import { ownerLabel, routerName } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** Whom the routers of a controller are, for the API server. */
export function serviceAccount({
  controller,
  settings,
}: Pick<Snapshot, 'controller' | 'settings'>): ServiceAccount & {
  metadata: { namespace: string; name: string }
} {
  const { name } = controller.metadata
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      namespace: settings.operandNamespace,
      name: routerName(name),
      labels: { [ownerLabel]: name },
    },
  }
}
