import { waitingReasons } from './load-balancer.ts'

const reasons: readonly string[] = Object.values(waitingReasons)

/** Whether a change waits for a person to agree, or to take it back. */
export function waitsForPerson(condition: { readonly reason?: string } | undefined): boolean {
  return reasons.includes(condition?.reason ?? '')
}
