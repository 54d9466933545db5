import { isSameJson } from '@portcullis/kube'
import type { AnyObject } from '@portcullis/schema'

/**
 * Leaves out owners that are named twice; returns what to warn of, if anything.
 * @param when at which point of the way of a request, in the real server's words
 */
export function dropRepeatedOwners({ metadata }: AnyObject, when = ''): string[] {
  const owners = metadata.ownerReferences
  if (!Array.isArray(owners)) return []
  const isRepeated = (owner: unknown, index: number) =>
    owners.slice(0, index).some((other) => isSameJson(other, owner))
  const repeated = owners.filter(isRepeated)
  if (repeated.length === 0) return []
  metadata.ownerReferences = owners.filter((owner, index) => !isRepeated(owner, index))
  const uids = repeated.map(({ uid }) => uid).join(', ')
  return [
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  ]
}
