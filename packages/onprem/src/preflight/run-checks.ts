import type { CheckResult } from './check-result.ts'
import { checkByName } from './checks/by-name.ts'
import { checkHairpin } from './checks/hairpin.ts'
import { checkHealthChecks } from './checks/health-check.ts'
import { checkIdle } from './checks/idle.ts'
import { checkLiveCluster } from './checks/live-cluster.ts'
import { checkNames } from './checks/names.ts'
import { checkOutside } from './checks/outside.ts'
import { checkPassthrough } from './checks/passthrough.ts'
import { checkPersistence } from './checks/persistence.ts'
import { checkReach } from './checks/reach.ts'
import { checkRedirect } from './checks/redirect.ts'
import type { Observations } from './observations.ts'
import type { FindingId } from './remedies.ts'

const checks: readonly ((observations: Observations) => readonly CheckResult[])[] = [
  checkNames,
  checkReach,
  checkPassthrough,
  checkRedirect,
  checkPersistence,
  checkByName,
  checkOutside,
  checkHairpin,
  checkIdle,
  checkHealthChecks,
  checkLiveCluster,
]

/**
 * Runs all checks on what was observed: pure, so that they can be run again on any recording. One mistake is one finding: what
 * only follows from it is skipped.
 *
 * @param accepted findings that the user knows of and accepts
 */
export function runChecks(
  observations: Observations,
  accepted: readonly FindingId[] = [],
): readonly CheckResult[] {
  return checks
    .flatMap((check) => check(observations))
    .map((each) =>
      each.status === 'failed' && each.findings.every(({ id }) => accepted.includes(id))
        ? { ...each, status: 'accepted' }
        : each,
    )
}
