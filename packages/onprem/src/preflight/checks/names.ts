import { checkRecords } from '../../dns/check-records.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'

const check = 'names'
const claim = 'api, api-int and *.apps lead to the virtual IPs'

export function checkNames({ names, answers }: Observations): readonly CheckResult[] {
  if (answers.length === 0) return [skipped(check, claim, 'no DNS server was asked')]
  const problems = checkRecords(names, answers)
  const resolvers = [...new Set(answers.map(({ resolver }) => resolver))].join(', ')
  const findings = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, name, resolver, tried, cameBack, message }) =>
      finding(rule, {
        subject: name?.name ?? resolver,
        tried,
        cameBack,
        remedy: `${message
          .split('; ')
          .at(-1)
          ?.replace(/^./, (letter) => letter.toUpperCase())}`,
      }),
    )
  const doubts = problems.filter(({ severity }) => severity === 'warning').map(({ message }) => message)
  return [checkResult(check, claim, findings, [`asked of ${resolvers}`, ...doubts].join('; '))]
}
