import { type CheckName, checks, services } from '../../load-balancer/services.ts'
import type { Attempt } from '../../probe/attempt.ts'
import { finding, type PreflightFinding, skipped, type Verdict, verdict } from '../check-result.ts'
import type { Observations, ObservedFlip } from '../observations.ts'
import { answererOf, type Pool, poolOf, subjectOf, turnsOf } from '../pool.ts'
import type { FindingId } from '../remedies.ts'

/** A member that says that it is not ready is left out soon, and taken back soon when it is ready again. */
export function judgeHealthChecks(observations: Observations): readonly Verdict[] {
  if (observations.behind !== 'stand-ins') return []
  return (Object.keys(checks) as CheckName[])
    .filter((check) => check !== 'machine-config' || observations.target.vantage === 'node')
    .map((check) => {
      const flips = observations.flips.filter((each) => each.check === check)
      const limit = observations.limits.dropMs[check]
      const claim = `${titles[check]}: a member that is not ready is left out, and taken back, within ${seconds(limit)}`
      const name = `health-check ${check}`
      if (flips.length === 0) return skipped(name, claim, 'nobody was reached')
      const judged = flips.map((flip) => judgeFlip(flip, observations))
      // The same mistake in both services of routers is one.
      const findings = judged.flatMap(({ found }, i) =>
        found === undefined || judged.slice(0, i).some((before) => before.found?.id === found.id)
          ? []
          : [found],
      )
      return verdict(name, claim, findings, findings.length === 0 ? judged[0]?.note : '')
    })
}

const titles: Readonly<Record<CheckName, string>> = {
  api: services.api.title,
  'machine-config': services['machine-config'].title,
  router: 'ingress',
}

function judgeFlip(
  flip: ObservedFlip,
  observations: Observations,
): { readonly found: PreflightFinding | undefined; readonly note: string } {
  const { check, victim } = flip
  const { dropMs, takeBackMs } = timesOf(flip, observations)
  // Visits to a router for which it was left out of its other service were made for that one.
  const isLeftOutElsewhere = observations.flips.some(
    (other) =>
      other.check === check &&
      other.service !== flip.service &&
      timesOf(other, observations).dropMs !== undefined,
  )
  const pool = withSightings(poolOf(observations, flip.service), dropMs === undefined && isLeftOutElsewhere)
  const limit = observations.limits.dropMs[check]
  const times = `left out ${dropMs === undefined ? 'never' : `after ${seconds(dropMs)}`}, taken back ${takeBackMs === undefined ? 'never' : `after ${seconds(takeBackMs)}`}`
  const isLate = (ms: number | undefined) => ms === undefined || ms > limit
  const tried = `${victim} answered ${checks[check].path} with 500, and then with 200 again`
  const seen = seenIn(pool)
  const note = `${times}; ${seen}`
  const found = (id: FindingId) => ({
    found: finding(id, {
      subject: subjectOf(pool),
      tried,
      cameBack: `${times}, as far as was waited; ${seen}`,
    }),
    note,
  })
  if (dropMs === undefined) {
    const wrong = askedWrongly(pool)
    if (wrong !== undefined) return found(wrong.id)
    if (pool.sightings.length === 0) return found('no-health-checks')
  }
  return isLate(dropMs) || isLate(takeBackMs) ? found('drop-too-slow') : { found: undefined, note }
}

function withSightings(pool: Pool, isOwnOnly: boolean): Pool {
  if (!isOwnOnly) return pool
  return { ...pool, sightings: pool.sightings.filter(({ listener }) => listener === pool.service) }
}

/** How long the load balancer took; undefined if it was not done before we stopped looking. */
export function timesOf(
  { service, victim, notReadyAtMs, whileNotReady, readyAgainAtMs, afterwards }: ObservedFlip,
  { members }: Observations,
): { readonly dropMs: number | undefined; readonly takeBackMs: number | undefined } {
  const isVictim = ({ outcome }: Attempt) => {
    const who = answererOf(outcome, service, members)
    return who.kind === 'member' && who.address === victim
  }
  const lastIndex = whileNotReady.findLastIndex(isVictim)
  const last = whileNotReady[lastIndex]
  const isStillThere = whileNotReady.length - 1 - lastIndex < turnsOf(members)
  const first = afterwards.find(isVictim)
  return {
    dropMs: isStillThere ? undefined : last === undefined ? 0 : Math.max(0, last.atMs - notReadyAtMs),
    takeBackMs: first && Math.max(0, first.atMs - readyAgainAtMs),
  }
}

/** How the health check asks, if that cannot tell whether a member is ready. */
export function askedWrongly(pool: Pool): { readonly id: FindingId; readonly seen: string } | undefined {
  const { check } = services[pool.service]
  const { path, isTls } = checks[check]
  const requests = pool.sightings.filter(({ kind }) => kind === 'request')
  const isRight = requests.some(
    (each) => each.path === path && (each.isTls || !isTls) && each.listener === check,
  )
  if (isRight || pool.sightings.length === 0) return undefined
  const seen = seenIn(pool)
  if (requests.some((each) => isTls && !each.isTls)) return { id: 'check-clear-text', seen }
  if (requests.length > 0) return { id: 'check-wrong-path', seen }
  return { id: 'check-tcp-only', seen }
}

/** As `the health check asks for /readyz by TLS every 5.0 s`. */
function seenIn({ service, sightings }: Pool): string {
  const kinds = sightings.map(({ kind, isTls, path, status = 0 }) => {
    if (kind === 'request') {
      const refused = status >= 400 && status < 500 ? ` and gets ${status}` : ''
      return `asks for ${path} by ${isTls ? 'TLS' : 'clear text'}${refused}`
    }
    if (kind === 'tls') return 'opens TLS and asks nothing'
    return kind === 'proxy' ? 'sends a PROXY header' : 'opens a connection and asks nothing'
  })
  const count = (words: string) => kinds.filter((each) => each === words).length
  const [most] = [...new Set(kinds)].sort((one, other) => count(other) - count(one))
  if (most === undefined) return 'no health check was seen'
  // Routers are asked for two services at once.
  const every = services[service].check === 'router' ? undefined : intervalOf(sightings)
  return `the health check ${most}${every === undefined ? '' : ` every ${seconds(every)}`}`
}

/** The time between two visits of one member by the same, as it mostly is. */
function intervalOf(sightings: Pool['sightings']): number | undefined {
  const last = sightings.at(-1)
  const series = sightings.filter(({ member, from }) => member === last?.member && from === last.from)
  const gaps = series.slice(1).map(({ atMs }, i) => atMs - (series[i]?.atMs ?? atMs))
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s`
}
