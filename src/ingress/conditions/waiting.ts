import type { ConditionReason } from '../reasons/reasons.ts'

const reasons: readonly string[] = [
  'ScopeChanged',
  'LoadBalancerTypeChanged',
  'TypeChanged',
] satisfies ConditionReason[]

/** Whether a change waits for a person to agree, or to take it back. */
export function waitsForPerson(condition: { readonly reason?: string } | undefined): boolean {
  return reasons.includes(condition?.reason ?? '')
}
