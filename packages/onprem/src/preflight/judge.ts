import { judgeByName } from './judges/by-name.ts'
import { judgeHairpin } from './judges/hairpin.ts'
import { judgeHealthChecks } from './judges/health-check.ts'
import { judgeIdle } from './judges/idle.ts'
import { judgeLiveCluster } from './judges/live-cluster.ts'
import { judgeNames } from './judges/names.ts'
import { judgeOutside } from './judges/outside.ts'
import { judgePassthrough } from './judges/passthrough.ts'
import { judgePersistence } from './judges/persistence.ts'
import { judgeReach } from './judges/reach.ts'
import { judgeRedirect } from './judges/redirect.ts'
import type { FindingId } from './knowledge.ts'
import type { Observations } from './observations.ts'
import type { Verdict } from './verdict.ts'

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
