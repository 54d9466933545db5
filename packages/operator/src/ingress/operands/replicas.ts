import { otherManagersOf } from '@portcullis/kube'
import { fieldManager } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** How many routers there shall be. */
export interface Replicas {
  readonly count: number
  /** Whether an autoscaler or a user with `kubectl scale` sets the number: then the operator does not write it. */
  readonly areOthers: boolean
}

/** The number in the spec, else the number to which another client scaled the Deployment, else the default. */
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
