import { type Attempt } from '../../probe/attempt.ts'
import type { Observations } from '../observations.ts'
import { type Pool, poolOf, subjectOf, summary } from '../pool.ts'
import { finding, type Verdict, verdict } from '../verdict.ts'

/** What the load balancer itself answered on port 80, though nobody asked it. */
export function redirects({ service, frontEnds }: Pool): readonly Attempt[] {
  if (service !== 'http') return []
  return frontEnds
    .flatMap(({ attempts }) => attempts)
    .filter(
      ({ outcome }) =>
        outcome.kind === 'answered' &&
        outcome.standIn === undefined &&
        outcome.status >= 300 &&
        outcome.status < 400 &&
        outcome.location?.startsWith('https:') === true,
    )
}

export function judgeRedirect(observations: Observations): readonly Verdict[] {
  // A router redirects, too, if a route tells it to: only a stand-in never does.
  if (observations.behind !== 'stand-ins') return []
  const pool = poolOf(observations, 'http')
  const found = redirects(pool)
  const subject = subjectOf(pool)
  const tried = found[0]?.tried ?? ''
  return [
    verdict(
      'redirect http',
      `HTTP is passed on as it is, and not redirected`,
      found.length === 0 ? [] : [finding('http-redirected', { subject, tried, cameBack: summary(found) })],
    ),
  ]
}
