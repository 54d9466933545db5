import type { IngressControllerStatus } from '../api/ingress-controller.ts'
import { findCondition } from '../kube/conditions.ts'
import type { DeepReadonly } from '../kube/objects.ts'

/** The condition whose message is the address of a controller: any version of the API has room for that. */
export const publishedCondition = 'Published'

/** Where a controller was last seen to be reached; empty when nowhere. */
export function publishedAddress(status: DeepReadonly<IngressControllerStatus> | undefined): string {
  const published = findCondition(status?.conditions, publishedCondition)
  return published?.status === 'True' ? (published.message ?? '') : ''
}
