import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { isServed, poolOf, subjectOf, summary } from '../pool.ts'

/** Clients outside cannot fetch the configuration of nodes. */
export function checkOutside(observations: Observations): readonly CheckResult[] {
  const check = 'outside machine-config'
  const claim = 'machine configuration is closed from outside'
  if (observations.target.vantage === 'node')
    return [
      skipped(check, claim, 'checked from where nodes are; check again from outside with --vantage outside'),
    ]
  const pool = poolOf(observations, 'machine-config')
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  const open = attempts.filter(({ outcome }) => outcome.kind === 'answered')
  const [first] = open
  if (first !== undefined) {
    const seen = { subject: subjectOf(pool), tried: first.tried, cameBack: summary(open) }
    return [checkResult(check, claim, [finding('machine-config-open', seen)])]
  }
  const isTaken = attempts.some(({ outcome }) => outcome.kind !== 'no-connection')
  // A load balancer that accepts and closes connections blocks clients, or has no member for them.
  const hasBackends = observations.behind === 'nodes' || isServed(pool)
  if (isTaken && !hasBackends)
    return [skipped(check, claim, 'the port accepts connections; there is no member behind it to compare')]
  return [checkResult(check, claim, [], summary(attempts))]
}
