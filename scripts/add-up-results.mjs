// `node scripts/add-up-results.mjs DIRECTORY FAILED_STEPS`: adds up what the steps of .ci/run left in a directory
// and ends with the line that says it all. A step that failed without a failed test counts as one failure: it
// may have died before it could count.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [directory, failedSteps] = process.argv.slice(2)

const results = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')))

const tests = results.flatMap(({ testResults = [] }) =>
  testResults.flatMap(({ assertionResults }) => assertionResults),
)
for (const { status, fullName, failureMessages } of tests) {
  if (failureMessages.length === 0) continue
  const verdict = status === 'passed' ? 'passed at the second try only' : 'failed'
  const reasons = failureMessages.map((message) => endsOf(message.replaceAll(/^/gm, '  ')))
  console.log(`${verdict}: ${fullName}\n${reasons.join('\n')}`)
}

const sum = (field) => results.reduce((total, result) => total + (result[field] ?? 0), 0)
const passed = sum('numPassedTests')
const skipped = sum('numPendingTests') + sum('numTodoTests')
const failed = Math.max(sum('numFailedTests'), Number(failedSteps))

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

/** Enough to see what differs and how it ended, of a message that may hold two whole texts. */
function endsOf(message) {
  const lines = message.split('\n')
  return lines.length <= 50 ? message : [...lines.slice(0, 20), '  …', ...lines.slice(-30)].join('\n')
}
