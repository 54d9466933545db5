import { services } from '../../load-balancer/services.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { addressesOf, poolOf, staysWithMember, subjectOf } from '../pool.ts'

/** No client stays with one member of the API, or of the machine configuration. */
export function checkPersistence(observations: Observations): readonly CheckResult[] {
  if (observations.behind === 'nobody') return []
  return (['api', 'machine-config'] as const)
    .filter((service) => service === 'api' || observations.target.vantage === 'node')
    .map((service) => {
      const pool = poolOf(observations, service)
      const check = `persistence ${service}`
      const claim = `${services[service].title}: connections of one client go to all members`
      if (pool.unidentified !== undefined) return skipped(check, claim, pool.unidentified)
      const [only] = addressesOf(pool.spread)
      if (only === undefined)
        return skipped(check, claim, 'members were not reached, or cannot be told apart')
      if (pool.expected.length < 2) return skipped(check, claim, 'there is one member only')
      if (!staysWithMember(pool)) return checkResult(check, claim, [])
      const others = pool.expected.filter(
        (address) => address !== only && (pool.reached.has(address) || pool.probed.has(address)),
      )
      const attempts = pool.frontEnds.flatMap((each) => each.attempts)
      const cameBack = `${only} every time; members are also ${others.join(', ')}`
      const tried = `${attempts[0]?.tried}, ${attempts.length} times from one address`
      return checkResult(check, claim, [finding('api-sticky', { subject: subjectOf(pool), tried, cameBack })])
    })
}
