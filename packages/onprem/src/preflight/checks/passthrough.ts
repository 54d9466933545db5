import { serviceNames, services } from '../../load-balancer/services.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { foreignCertificates, isServed, poolOf, subjectOf } from '../pool.ts'

/** TLS reaches the members: their certificates are seen, and not one of the load balancer. */
export function checkPassthrough(observations: Observations): readonly CheckResult[] {
  const { members, behind, cluster, target } = observations
  if (behind === 'nobody') return []
  return serviceNames
    .filter((service) => services[service].isTls)
    .filter((service) => service !== 'machine-config' || target.vantage === 'node')
    .map((service) => {
      const pool = poolOf(observations, service)
      const check = `tls ${service}`
      const claim = `${services[service].title}: TLS is terminated by the members`
      const foreign = foreignCertificates(pool, members)
      const isSeen = isServed(pool)
      if (!isSeen && foreign.length === 0) return skipped(check, claim, 'no member was reached')
      if (foreign.length > 0 && pool.unidentified !== undefined)
        return skipped(check, claim, pool.unidentified)
      // Where members are reached too, another certificate belongs to another machine.
      if (foreign.length === 0 || (cluster !== undefined && isSeen)) return checkResult(check, claim, [])
      const subjects = [...new Set(foreign.map(({ certificate }) => `"${certificate?.subject}"`))].join(', ')
      const tried = pool.frontEnds[0]?.attempts[0]?.tried ?? ''
      const cameBack = `a certificate of ${subjects}, which is no member's`
      return checkResult(check, claim, [
        finding('tls-terminated', { subject: subjectOf(pool), tried, cameBack }),
      ])
    })
}
