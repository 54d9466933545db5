import { services } from '../../load-balancer/services.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { absentFrom, isSteady, poolOf, subjectOf, summary } from '../pool.ts'

/** A node reaches the virtual IPs, also where that leads back to itself. */
export function checkHairpin(observations: Observations): readonly CheckResult[] {
  const check = 'hairpin'
  const claim = 'nodes reach the virtual IPs, also when that leads back to themselves'
  // Where our own connections fail, or a member is missing, hairpin is not the cause.
  const dials = observations.dials.filter(({ service }) => {
    const pool = poolOf(observations, service)
    return isSteady(pool) && absentFrom(pool).length === 0
  })
  if (dials.length === 0)
    return [
      skipped(check, claim, 'there are no fake backends to connect from, or no service works from here'),
    ]
  const findings = dials.flatMap(({ from, service, attempts }) => {
    const failed = attempts.filter(({ outcome }) => outcome.kind !== 'answered')
    const [first] = failed
    if (first === undefined) return []
    const subject = subjectOf(poolOf(observations, service))
    const tried = `${first.tried}, from ${from}`
    const cameBack = `${failed.length} of ${attempts.length} failed: ${summary(failed)}; from elsewhere it works`
    return [finding('hairpin-fails', { subject, tried, cameBack })]
  })
  const themselves = dials
    .filter(({ from, attempts }) =>
      attempts.some(({ outcome }) => outcome.kind === 'answered' && outcome.backend === from),
    )
    .map(({ from, service }) => `${from} on ${services[service].port}`)
  const note = themselves.length === 0 ? '' : `back to themselves: ${themselves.join(', ')}`
  return [checkResult(check, claim, findings, note)]
}
