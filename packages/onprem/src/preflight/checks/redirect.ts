import { type Attempt } from '../../probe/attempt.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { type Pool, poolOf, subjectOf, summary } from '../pool.ts'

/** Redirects that the load balancer itself answered on port 80. */
export function redirects({ service, frontEnds }: Pool): readonly Attempt[] {
  if (service !== 'http') return []
  return frontEnds
    .flatMap(({ attempts }) => attempts)
    .filter(
      ({ outcome }) =>
        outcome.kind === 'answered' &&
        outcome.backend === undefined &&
        outcome.status >= 300 &&
        outcome.status < 400 &&
        outcome.location?.startsWith('https:') === true,
    )
}

/** A router redirects if a route is configured so; but no route matches a request by address. */
export function checkRedirect(observations: Observations): readonly CheckResult[] {
  const pool = poolOf(observations, 'http')
  const found = redirects(pool)
  const subject = subjectOf(pool)
  const tried = found[0]?.tried ?? ''
  const check = 'redirect http'
  const claim = 'HTTP is passed through, and not redirected'
  if (pool.spread.every(({ kind }) => kind === 'nobody')) return [skipped(check, claim, 'nobody answered')]
  return [
    checkResult(
      check,
      claim,
      found.length === 0 ? [] : [finding('http-redirected', { subject, tried, cameBack: summary(found) })],
    ),
  ]
}
