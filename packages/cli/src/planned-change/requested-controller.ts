import { applyMergePatch } from '@portcullis/kube'
import { type AskedChange, patchFor, type WantedController } from '@portcullis/operator'
import { noSuchController } from '../connection/no-such-controller.ts'
import { admitController } from './admit-controller.ts'
import type { ClusterState } from './cluster-state.ts'

/** The IngressController as it would be with a change that is requested on the command line. */
export function requestedController(
  name: string,
  change: AskedChange,
  state: ClusterState,
  namespace: string,
): WantedController {
  const live = liveController(state, name)
  if (live === undefined) throw new Error(noSuchController(name, namespace, state.controllers))
  const spec = patchFor(change, live.spec)
  return admitController(applyMergePatch(live, { spec }), live, 'The requested change')
}

export function liveController({ controllers }: ClusterState, name: string): WantedController | undefined {
  return controllers.find(({ metadata }) => metadata.name === name) as WantedController | undefined
}
