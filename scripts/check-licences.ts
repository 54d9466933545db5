// `npm run check:licences`: nothing comes along whose licence nobody has judged.
import { licenceProblems } from './licences.ts'
import { lockedPackages } from './locked-packages.ts'

const problems = licenceProblems(lockedPackages())
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
