// `npm run check:audit`: no dependency has a known vulnerability of high severity, as far as the registry knows.
import { spawn } from 'node:child_process'
import { auditOf } from './audit.ts'

/** A registry that takes longer does not hold up a check. */
const patienceMs = 10_000

const child = spawn('npm', ['audit', '--json', '--fetch-retries=0', `--fetch-timeout=${patienceMs}`], {
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: patienceMs,
})
let printed = ''
for await (const chunk of child.stdout) printed += String(chunk)

const audit = auditOf(printed)
switch (audit.outcome) {
  case 'clean':
    break
  case 'unknown':
    console.log(`Not looked for known vulnerabilities: the registry does not answer audits (${audit.why}).`)
    break
  case 'vulnerable':
    for (const problem of audit.problems) console.error(problem)
    process.exitCode = 1
}
