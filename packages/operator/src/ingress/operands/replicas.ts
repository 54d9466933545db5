import { otherManagersOf } from '@portcullis/kube'
import { fieldManager } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** How many routers there shall be. */
export interface Replicas {
  readonly count: number
  /** Whether somebody else says so, an autoscaler or a person with `kubectl scale`: then it is not ours to write. */
  readonly areOthers: boolean
}

/** As the spec says; where it does not, as whoever scaled the Deployment says; else as usual. */
export function wantedReplicas({
  controller,
  isSingleNode,
  operands: { deployment },
}: Pick<Snapshot, 'controller' | 'isSingleNode' | 'operands'>): Replicas {
  const usual = isSingleNode ? 1 : 2
  const asked = controller.spec?.replicas
  if (asked !== undefined || deployment === undefined) return { count: asked ?? usual, areOthers: false }
  const areOthers = otherManagersOf(['spec', 'replicas'], fieldManager, deployment).length > 0
  return { count: areOthers ? (deployment.spec?.replicas ?? usual) : usual, areOthers }
}
