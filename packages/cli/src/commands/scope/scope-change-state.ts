import { type Cached, findCondition } from '@portcullis/kube'
import {
  type Condition,
  type IngressControllerObject as IngressController,
  publishedAddress,
  type Scope,
  waitsForUser,
} from '@portcullis/operator'

/** How far a change of scope is. */
export type ScopeChangeState =
  /** The operator has not observed the change yet. */
  | { readonly phase: 'unobserved'; readonly text: string }
  /** The operator rejected the change. */
  | { readonly phase: 'refused'; readonly text: string }
  /** The change waits for the user to proceed, or to revert. */
  | { readonly phase: 'waits'; readonly text: string; readonly since: Condition }
  | { readonly phase: 'working'; readonly text: string }
  | { readonly phase: 'done'; readonly text: string }

/**
 * @param generation of the spec with the new scope
 * @param serviceIsNew whether the Service that had to be deleted has been replaced; true if none had to be
 */
export function scopeChangeState(
  controller: Pick<Cached<IngressController>, 'status'>,
  { scope, generation, serviceIsNew }: { scope: Scope; generation: number; serviceIsNew: boolean },
): ScopeChangeState {
  const { status } = controller
  if ((status?.observedGeneration ?? 0) < generation)
    return { phase: 'unobserved', text: 'waiting for the operator to see the change' }
  const admitted = findCondition(status?.conditions, 'Admitted')
  if (admitted?.status === 'False') return { phase: 'refused', text: admitted.message ?? '' }
  if (!serviceIsNew)
    return { phase: 'working', text: 'waiting for the cloud to remove the old load balancer' }
  const progressing = findCondition(status?.conditions, 'LoadBalancerProgressing')
  if (progressing !== undefined && waitsForUser(progressing))
    return { phase: 'waits', text: progressing.message ?? '', since: progressing }
  const ready = findCondition(status?.conditions, 'LoadBalancerReady')
  const unfinished = [
    progressing?.status === 'True' ? progressing : undefined,
    ready?.status === 'True' ? undefined : ready,
  ]
  const [first] = unfinished.filter((condition) => condition !== undefined)
  if (first !== undefined) return { phase: 'working', text: first.message ?? first.reason ?? '' }
  const wanted = status?.endpointPublishingStrategy?.loadBalancer?.scope
  if (ready === undefined || wanted !== scope) return { phase: 'working', text: 'waiting for the operator' }
  return { phase: 'done', text: publishedAddress(status) }
}
