// `npm run check:expressions`: no regular expression takes more than linear time, whatever it is given to read.
import { readdirSync, readFileSync } from 'node:fs'
import { allowed } from './allowed-regular-expressions.ts'
import { expressionsIn, slowExpressions } from './regular-expressions.ts'

const files = readdirSync('packages', { recursive: true, encoding: 'utf8' })
  .map((file) => `packages/${file.replaceAll('\\', '/')}`)
  .filter((file) => /^packages\/\w+\/src\/(?!testing\/).*(?<!\.test)\.ts$/.test(file))
const found = files.flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')))

const problems = await slowExpressions(found, allowed)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
