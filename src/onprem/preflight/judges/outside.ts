import type { Observations } from '../observations.ts'
import { poolOf, subjectOf, summary } from '../pool.ts'
import { finding, skipped, type Verdict, verdict } from '../verdict.ts'

/** Who is outside does not get the configuration of nodes. */
export function judgeOutside(observations: Observations): readonly Verdict[] {
  const check = 'outside machine-config'
  const claim = 'machine configuration is closed to who is outside'
  if (observations.target.vantage === 'node')
    return [
      skipped(check, claim, 'asked from where nodes are; ask again from outside with --vantage outside'),
    ]
  const pool = poolOf(observations, 'machine-config')
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  // A closed door that says so is closed: what counts is whether anything comes through it.
  const open = attempts.filter(({ outcome }) => outcome.kind === 'answered')
  const [first] = open
  if (first === undefined) return [verdict(check, claim, [], summary(attempts))]
  const seen = { subject: subjectOf(pool), tried: first.tried, cameBack: summary(open) }
  return [verdict(check, claim, [finding('machine-config-open', seen)])]
}
