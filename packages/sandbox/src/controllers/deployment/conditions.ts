import type { DeepReadonly } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { DeploymentCondition } from 'kubernetes-types/apps/v1'

export type Conditions = readonly DeepReadonly<DeploymentCondition>[]
export type ConditionTexts = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>

export const find = (conditions: Conditions, type: string) =>
  conditions.find((condition) => condition.type === type)

export const without = (conditions: Conditions, type: string): Conditions =>
  conditions.filter((condition) => condition.type !== type)

/**
 * As the deployment controller does it: a condition whose status and reason stay is left as it is, and one that
 * changes goes to the end.
 *
 * @param options.always also when status and reason stay: progress is news
 */
export function set(
  conditions: Conditions,
  wanted: ConditionTexts,
  now: Date,
  { always = false }: { readonly always?: boolean } = {},
): Conditions {
  const before = find(conditions, wanted.type)
  if (!always && before?.status === wanted.status && before.reason === wanted.reason) return conditions
  const since = before?.status === wanted.status ? before.lastTransitionTime : undefined
  const condition: DeploymentCondition = {
    type: wanted.type,
    status: wanted.status,
    lastUpdateTime: timestamp(now),
    lastTransitionTime: since ?? timestamp(now),
    ...(wanted.reason !== undefined && { reason: wanted.reason }),
    ...(wanted.message !== undefined && { message: wanted.message }),
  }
  return [...without(conditions, wanted.type), condition]
}
