// `npm run check:licences`: every dependency has a licence that was judged.
import { licenceProblems } from './licences.ts'
import { lockedPackages } from './locked-packages.ts'

/** The Node that npm brings for tests and benchmarks. */
const nodejs = lockedPackages('testing/clusters/nodejs/package-lock.json').filter(({ path }) => path !== '')

const problems = licenceProblems([...lockedPackages(), ...nodejs])
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
