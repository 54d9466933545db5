import { endpoint } from '../../endpoint.ts'
import { services } from '../../load-balancer/services.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { inWords } from '../pool.ts'

/** A connection may be silent for a while. */
export function checkIdle({ idle, frontEnds }: Observations): readonly CheckResult[] {
  return idle.map(({ service, tried, idleMs, before, after }) => {
    const check = `idle ${service}`
    const claim = `${services[service].title}: a connection that is idle for ${idleMs / 1000} s stays open`
    if (before.kind !== 'answered') return skipped(check, claim, 'no member was reached')
    // A router that has no route for us says good-bye with its answer: that is no time-out.
    if (before.endsConnection)
      return skipped(check, claim, `the response closed the connection: ${inWords(before)}`)
    if (after.kind === 'answered') return checkResult(check, claim, [])
    const { address = '', port = 0 } = frontEnds.find((each) => each.service === service) ?? {}
    const cameBack = `${inWords(before)}; after ${idleMs / 1000} s idle: ${inWords(after)}`
    const seen = { subject: endpoint(address, port), tried: `${tried}, twice on one connection`, cameBack }
    return checkResult(check, claim, [finding('idle-cut', seen)])
  })
}
