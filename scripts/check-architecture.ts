// `npm run check:architecture`: packages import what their package.json lists, and nothing in a circle.
import { architectureProblems } from './architecture.ts'
import { readWorkspace } from './workspace.ts'

const problems = architectureProblems(readWorkspace())
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
