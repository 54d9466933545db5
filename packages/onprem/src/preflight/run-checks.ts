import type { Verdict } from './check-result.ts'
import { judgeByName } from './checks/by-name.ts'
import { judgeHairpin } from './checks/hairpin.ts'
import { judgeHealthChecks } from './checks/health-check.ts'
import { judgeIdle } from './checks/idle.ts'
import { judgeLiveCluster } from './checks/live-cluster.ts'
import { judgeNames } from './checks/names.ts'
import { judgeOutside } from './checks/outside.ts'
import { judgePassthrough } from './checks/passthrough.ts'
import { judgePersistence } from './checks/persistence.ts'
import { judgeReach } from './checks/reach.ts'
import { judgeRedirect } from './checks/redirect.ts'
import type { Observations } from './observations.ts'
import type { FindingId } from './remedies.ts'

const judges: readonly ((observations: Observations) => readonly Verdict[])[] = [
  judgeNames,
  judgeReach,
  judgePassthrough,
  judgeRedirect,
  judgePersistence,
  judgeByName,
  judgeOutside,
  judgeHairpin,
  judgeIdle,
  judgeHealthChecks,
  judgeLiveCluster,
]

/**
 * All verdicts on what was seen: pure, so that they can be told again on any recording. One mistake is one finding: what
 * only follows from it is skipped.
 *
 * @param accepted what the user knows of and lives with
 */
export function judge(observations: Observations, accepted: readonly FindingId[] = []): readonly Verdict[] {
  return judges
    .flatMap((judgeSome) => judgeSome(observations))
    .map((each) =>
      each.status === 'failed' && each.findings.every(({ id }) => accepted.includes(id))
        ? { ...each, status: 'accepted' }
        : each,
    )
}
