import { type HealthCheckName, healthChecks, services } from '../../load-balancer/services.ts'
import type { Attempt } from '../../probe/attempt.ts'
import { type CheckResult, checkResult, finding, type PreflightFinding, skipped } from '../check-result.ts'
import type { Observations, ObservedFlip } from '../observations.ts'
import { type Pool, poolOf, responderOf, subjectOf, turnsOf } from '../pool.ts'
import type { FindingId } from '../remedies.ts'

/** A member that says that it is not ready is left out soon, and taken back soon when it is ready again. */
export function checkHealthChecks(observations: Observations): readonly CheckResult[] {
  if (observations.behind !== 'fake-backends') return []
  return (Object.keys(healthChecks) as HealthCheckName[])
    .filter((check) => check !== 'machine-config' || observations.target.vantage === 'node')
    .map((check) => {
      const flips = observations.flips.filter((each) => each.check === check)
      const limit = observations.limits.dropMs[check]
      const claim = `${titles[check]}: a member that is not ready is removed, and added again, within ${seconds(limit)}`
      const name = `health-check ${check}`
      if (flips.length === 0) return skipped(name, claim, 'no member was reached')
      const checked = flips.map((flip) => checkFlip(flip, observations))
      // The same mistake in both services of routers is one.
      const findings = checked.flatMap(({ found }, i) =>
        found === undefined || checked.slice(0, i).some((before) => before.found?.id === found.id)
          ? []
          : [found],
      )
      return checkResult(name, claim, findings, findings.length === 0 ? checked[0]?.note : '')
    })
}

const titles: Readonly<Record<HealthCheckName, string>> = {
  api: services.api.title,
  'machine-config': services['machine-config'].title,
  router: 'ingress',
}

function checkFlip(
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
  const pool = withProbes(poolOf(observations, flip.service), dropMs === undefined && isLeftOutElsewhere)
  const limit = observations.limits.dropMs[check]
  const times = `removed ${dropMs === undefined ? 'never' : `after ${seconds(dropMs)}`}, added again ${takeBackMs === undefined ? 'never' : `after ${seconds(takeBackMs)}`}`
  const isLate = (ms: number | undefined) => ms === undefined || ms > limit
  const tried = `${victim} answered ${healthChecks[check].path} with 500, and then with 200 again`
  const seen = seenIn(pool)
  const note = `${times}; ${seen}`
  const found = (id: FindingId) => ({
    found: finding(id, {
      subject: subjectOf(pool),
      tried,
      cameBack: `${times}, within the time waited; ${seen}`,
    }),
    note,
  })
  if (dropMs === undefined) {
    const wrong = askedWrongly(pool)
    if (wrong !== undefined) return found(wrong.id)
    if (pool.receivedProbes.length === 0) return found('no-health-checks')
  }
  return isLate(dropMs) || isLate(takeBackMs) ? found('drop-too-slow') : { found: undefined, note }
}

function withProbes(pool: Pool, isOwnOnly: boolean): Pool {
  if (!isOwnOnly) return pool
  return { ...pool, receivedProbes: pool.receivedProbes.filter(({ listener }) => listener === pool.service) }
}

/** How long the load balancer took; undefined if it was not done before we stopped looking. */
export function timesOf(
  { service, victim, notReadyAtMs, whileNotReady, readyAgainAtMs, afterwards }: ObservedFlip,
  { members }: Observations,
): { readonly dropMs: number | undefined; readonly takeBackMs: number | undefined } {
  const isVictim = ({ outcome }: Attempt) => {
    const who = responderOf(outcome, service, members)
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

/** What is wrong with the health check, if it cannot notice whether a member is ready. */
export function askedWrongly(pool: Pool): { readonly id: FindingId; readonly seen: string } | undefined {
  const { check } = services[pool.service]
  const { path, isTls } = healthChecks[check]
  const requests = pool.receivedProbes.filter(({ kind }) => kind === 'request')
  const isRight = requests.some(
    (each) => each.path === path && (each.isTls || !isTls) && each.listener === check,
  )
  if (isRight || pool.receivedProbes.length === 0) return undefined
  const seen = seenIn(pool)
  if (requests.some((each) => isTls && !each.isTls)) return { id: 'check-clear-text', seen }
  if (requests.length > 0) return { id: 'check-wrong-path', seen }
  return { id: 'check-tcp-only', seen }
}

/** As `the health check asks for /readyz by TLS every 5.0 s`. */
function seenIn({ service, receivedProbes }: Pool): string {
  const kinds = receivedProbes.map(({ kind, isTls, path, status = 0 }) => {
    if (kind === 'request') {
      const refused = status >= 400 && status < 500 ? ` and gets ${status}` : ''
      return `requests ${path} over ${isTls ? 'TLS' : 'clear text'}${refused}`
    }
    if (kind === 'tls') return 'opens TLS and requests nothing'
    return kind === 'proxy' ? 'sends a PROXY header' : 'opens a connection and requests nothing'
  })
  const count = (words: string) => kinds.filter((each) => each === words).length
  const [most] = [...new Set(kinds)].sort((one, other) => count(other) - count(one))
  if (most === undefined) return 'no health check was seen'
  // Routers are asked for two services at once.
  const every = services[service].check === 'router' ? undefined : intervalOf(receivedProbes)
  return `the health check ${most}${every === undefined ? '' : ` every ${seconds(every)}`}`
}

/** The time between two visits of one member by the same, as it mostly is. */
function intervalOf(receivedProbes: Pool['receivedProbes']): number | undefined {
  const last = receivedProbes.at(-1)
  const series = receivedProbes.filter(({ member, from }) => member === last?.member && from === last.from)
  const gaps = series.slice(1).map(({ atMs }, i) => atMs - (series[i]?.atMs ?? atMs))
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s`
}
