import { healthChecks, serviceNames, services } from '../../load-balancer/services.ts'
import type { Attempt } from '../../probe/attempt.ts'
import { type CheckResult, checkResult, finding, type PreflightFinding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import {
  absentFrom,
  foreignCertificates,
  isServed,
  type Pool,
  poolOf,
  staysWithMember,
  subjectOf,
  summary,
} from '../pool.ts'
import { askedWrongly } from './health-check.ts'
import { redirects } from './redirect.ts'

/** Each front end takes connections, and each of its members gets some. */
export function checkReach(observations: Observations): readonly CheckResult[] {
  return serviceNames.map((service) => {
    const pool = poolOf(observations, service)
    const { title, port } = services[service]
    const check = `reach ${service}`
    const claim = `${title}, ${subjectOf(pool)}: connections reach every member`
    if (service === 'machine-config' && observations.target.vantage === 'outside')
      return skipped(check, claim, `${port} must be closed from outside`)
    const failure = closed(pool) ?? (observations.behind === 'nobody' ? undefined : lost(pool, observations))
    if (failure !== undefined)
      return failure === 'reported-elsewhere'
        ? skipped(check, claim, 'see the other findings for this service')
        : checkResult(check, claim, [failure])
    if (observations.behind === 'nobody')
      return checkResult(
        check,
        `${title}, ${subjectOf(pool)}: connections are accepted`,
        [],
        'no known member is behind it yet',
      )
    const unsteady = failing(pool)
    if (unsteady !== undefined) return checkResult(check, claim, [unsteady])
    if (pool.unidentified !== undefined) return skipped(check, claim, pool.unidentified)
    return checkResult(check, claim, [...missing(pool, observations)], reachedInWords(pool))
  })
}

type Failure = PreflightFinding | 'reported-elsewhere'

/** One of its addresses accepts no connections. */
function closed({ frontEnds }: Pool): PreflightFinding | undefined {
  for (const { attempts } of frontEnds) {
    const untaken = attempts.flatMap(({ outcome }) =>
      outcome.kind === 'no-connection' ? [outcome.code] : [],
    )
    if (untaken.length < attempts.length || attempts.length === 0) continue
    return about(untaken.includes('ETIMEDOUT') ? 'front-end-silent' : 'front-end-closed', attempts)
  }
  return undefined
}

/** Connections are taken, but no member ever gets one. */
function lost(pool: Pool, observations: Observations): Failure | undefined {
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  if (redirects(pool).length > 0 || isCutOff(pool, observations)) return 'reported-elsewhere'
  if (isServed(pool)) return elsewhere(pool)
  const { check } = services[pool.service]
  const { ports, routers } = observations.target
  if (observations.behind === 'nodes' && check === 'router' && portsMoved(observations))
    return 'reported-elsewhere'
  if (pool.receivedProbes.some(({ kind }) => kind === 'proxy')) return about('proxy-protocol', attempts)
  const wrong = askedWrongly(pool)
  if (wrong !== undefined)
    return { ...about(wrong.id, attempts), cameBack: `${summary(attempts)}; ${wrong.seen}` }
  if (attempts.some(({ outcome }) => outcome.kind === 'answered'))
    return about('somebody-else-answers', attempts)
  const members = check === 'router' ? routers : pool.expected
  const asked = `${healthChecks[check].isTls ? 'https' : 'http'}://<member>:${ports[check]}${healthChecks[check].path}`
  const remedy = `Send it to port ${ports[pool.service]} of ${members.join(', ')}, with ${asked} as health check.`
  return { ...about('members-not-reached', attempts), remedy }
}

/** The load balancer ended TLS itself: whatever else is strange comes from that. */
function isCutOff(pool: Pool, { members, behind, cluster }: Observations): boolean {
  const foreign = foreignCertificates(pool, members)
  if (foreign.length === 0 || behind === 'nobody' || pool.unidentified !== undefined) return false
  return cluster === undefined || !isServed(pool)
}

export function portsMoved({ target: { ports, frontPortOffset: offset } }: Observations): boolean {
  return (
    ports.router - offset !== healthChecks.router.port ||
    ports.http - offset !== services.http.port ||
    ports.https - offset !== services.https.port
  )
}

/** A member answers, but with another of its ports. */
function elsewhere({ service, frontEnds }: Pool): PreflightFinding | undefined {
  const attempts = frontEnds.flatMap((each) => each.attempts)
  const strays = attempts.filter(
    ({ outcome }) =>
      outcome.kind === 'answered' && outcome.service !== undefined && outcome.service !== service,
  )
  const [first] = strays
  if (first?.outcome.kind !== 'answered') return undefined
  const cameBack = `${summary(strays, attempts.length)}; the port that answered is that of ${first.outcome.service}`
  return { ...about('wrong-backend-port', attempts), cameBack }
}

/** Some connections reach members, others none. */
function failing(pool: Pool): PreflightFinding | undefined {
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  const failed = attempts.filter(({ outcome }) => outcome.kind !== 'answered')
  if (failed.length === 0) return undefined
  const never = pool.unidentified === undefined ? absentFrom(pool) : []
  const cameBack = `${failed.length} of ${attempts.length} failed: ${summary(failed)}${never.length === 0 ? '' : `; never reached: ${never.join(', ')}`}`
  return { ...about('front-end-unsteady', attempts), cameBack }
}

/** Members that get no connections, and some that should get none. */
function* missing(pool: Pool, { target, cluster }: Observations): Iterable<PreflightFinding> {
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  for (const address of absentFrom(pool)) {
    // In a live cluster the list of routers is compared, see there.
    if (cluster !== undefined && services[pool.service].use === 'ingress') continue
    const cameBack = `${[...pool.reached].join(', ')} answered; ${address} never did${pool.probed.has(address) ? '' : ', and was not health-checked'}`
    yield {
      ...about(address === target.bootstrap ? 'bootstrap-missing' : 'member-missing', attempts),
      cameBack,
    }
  }
  for (const address of pool.reached) {
    if (!pool.expected.includes(address)) {
      const cameBack = `${address} answered, and ${pool.expected.join(', ')} were expected`
      yield { ...about('unexpected-member', attempts), cameBack }
    }
  }
}

function reachedInWords(pool: Pool): string {
  const { reached, expected, probed } = pool
  if (reached.size === 0)
    return 'members answer; they all have the same certificate, and cannot be told apart'
  const waiting = expected.filter((address) => !reached.has(address) && probed.has(address))
  const stays = staysWithMember(pool) ? ', each client with its own' : ''
  const rest = waiting.length === 0 ? '' : `; ${waiting.join(', ')} looked after`
  return `${expected.filter((address) => reached.has(address)).join(', ')} answered${stays}${rest}`
}

function about(id: PreflightFinding['id'], attempts: readonly Attempt[]): PreflightFinding {
  const [first] = attempts
  const times = attempts.length > 1 ? `, ${attempts.length} times` : ''
  const [, subject = ''] = /^https?:\/\/([^/]+)/.exec(first?.tried ?? '') ?? []
  return finding(id, { subject, tried: `${first?.tried}${times}`, cameBack: summary(attempts) })
}
