import type { Cached } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { scaled } from '../deployment/sizes.ts'
import { isReady, isTerminating } from '../pods.ts'

/** The status of a budget: how many of its pods may be evicted now. */
export function budgetStatus(
  budget: Cached<PodDisruptionBudget>,
  pods: readonly Cached<Pod>[],
  /** How many pods their controllers want together. */
  wanted: number,
  now: Date,
): object {
  const { spec, status, metadata } = budget
  const { minAvailable, maxUnavailable } = spec ?? {}
  const byController = maxUnavailable !== undefined || typeof minAvailable === 'string'
  const expectedPods = byController ? wanted : pods.length
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods, Math.ceil))
      : scaled(minAvailable ?? 0, expectedPods, Math.ceil)
  const currentHealthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const allowed = disruptionsAllowed > 0
  const observedGeneration = metadata.generation ?? 0
  const before = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed')
  const next = allowed ? 'True' : 'False'
  const condition = {
    type: 'DisruptionAllowed',
    status: next,
    observedGeneration,
    lastTransitionTime: before?.status === next ? before.lastTransitionTime : timestamp(now),
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
  return {
    conditions: [condition],
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration,
    ...(status?.disruptedPods && { disruptedPods: status.disruptedPods }),
  }
}
