import { judgeAnswers } from '../../dns/check-records.ts'
import { finding, skipped, type Verdict, verdict } from '../check-result.ts'
import type { Observations } from '../observations.ts'

const check = 'names'
const claim = 'api, api-int and *.apps lead to the virtual IPs'

export function judgeNames({ names, answers }: Observations): readonly Verdict[] {
  if (answers.length === 0) return [skipped(check, claim, 'no DNS server was asked')]
  const problems = judgeAnswers(names, answers)
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
  return [verdict(check, claim, findings, [`asked of ${resolvers}`, ...doubts].join('; '))]
}
