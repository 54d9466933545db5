import type { HealthCheck, TargetState } from './load-balancer.ts'

/** What is known of one target of one load balancer. */
export interface TargetHealth {
  readonly state: TargetState
  /** How many checks in a row came out so. */
  readonly inARow: number
  readonly lastPassed: boolean
}

export const unknownHealth: TargetHealth = { state: 'initial', inARow: 0, lastPassed: false }

/** A target that is new is not sent anything before it has passed often enough. */
export function afterCheck(
  { state, inARow, lastPassed }: TargetHealth,
  passed: boolean,
  { healthyAfter, unhealthyAfter }: Pick<HealthCheck, 'healthyAfter' | 'unhealthyAfter'>,
): TargetHealth {
  const now = { lastPassed: passed, inARow: passed === lastPassed ? inARow + 1 : 1 }
  if (passed && now.inARow >= healthyAfter) return { ...now, state: 'healthy' }
  if (!passed && now.inARow >= unhealthyAfter) return { ...now, state: 'unhealthy' }
  return { ...now, state }
}
