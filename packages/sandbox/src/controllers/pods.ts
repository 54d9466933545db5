import { type Cached, isTrue } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'

/** Whether a pod's containers have ended for good: it no longer takes anything from its node. */
export function isFinished({ status }: Cached<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function isTerminating({ metadata }: Cached<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Whether a pod counts as one of those that its controller wants. */
export function isActive(pod: Cached<Pod>): boolean {
  return !isFinished(pod) && !isTerminating(pod)
}

export function isReady({ status }: Cached<Pod>): boolean {
  return isTrue(status?.conditions, 'Ready')
}

/** How long until a pod has been ready long enough; 0 when it has, undefined when it is not ready. */
export function millisecondsUntilAvailable(
  pod: Cached<Pod>,
  minReadySeconds: number,
  now: Date,
): number | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'True') return undefined
  if (minReadySeconds === 0) return 0
  if (ready.lastTransitionTime === undefined) return undefined
  return Math.max(0, minReadySeconds * 1000 - millisecondsSince(ready.lastTransitionTime, now))
}

/** Milliseconds between two timestamps, of which the earlier may be missing. */
function millisecondsSince(earlier: string | undefined, now: Date): number {
  return earlier === undefined ? 0 : now.getTime() - Date.parse(earlier)
}
