import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { inWords, isSteady, poolOf } from '../pool.ts'

/** Connections by name reach what connections by address reach. */
export function checkByName(observations: Observations): readonly CheckResult[] {
  const check = 'by name'
  const claim = 'each service answers by name as it does by address'
  const { byName, target } = observations
  const checked = byName
    .filter(({ service }) => service !== 'machine-config' || target.vantage === 'node')
    .filter(({ service }) => isSteady(poolOf(observations, service)))
  if (checked.length === 0)
    return [
      skipped(check, claim, 'no name leads to a front end that always answers, or no member is behind it'),
    ]
  const findings = checked
    .filter(({ attempt }) => attempt.outcome.kind !== 'answered')
    .map(({ name, attempt: { tried, outcome } }) =>
      finding('by-name-fails', {
        subject: name,
        tried,
        cameBack: `${inWords(outcome)}; by address it works`,
      }),
    )
  return [checkResult(check, claim, findings, [...new Set(checked.map(({ name }) => name))].join(', '))]
}
