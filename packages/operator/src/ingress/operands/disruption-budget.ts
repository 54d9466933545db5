import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { ownerLabel, routerLabel, routerName } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** How many routers may be taken away at once when nodes are drained. */
export function disruptionBudget(
  { controller, settings }: Pick<Snapshot, 'controller' | 'settings'>,
  replicas: number,
): PodDisruptionBudget & { metadata: { namespace: string; name: string } } {
  const { name } = controller.metadata
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      namespace: settings.operandNamespace,
      name: routerName(name),
      labels: { [ownerLabel]: name },
    },
    spec: {
      maxUnavailable: mayBeMissing(replicas, controller.spec?.replicas),
      // A router that is not ready serves no clients: it must not keep its node from being drained.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [routerLabel]: name } },
    },
  }
}

function mayBeMissing(replicas: number, asked: number | undefined): number | string {
  if (replicas <= 2 && asked !== undefined) return 1 // A single router must not keep its node from being drained.
  return asked === undefined ? '50%' : '25%'
}
