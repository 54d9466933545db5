// `npm run check:links`: every path and heading that the documentation names exists.
import { existsSync } from 'node:fs'
import { missingAnchors, missingPaths, readPages } from './doc-links.ts'

const pages = readPages()
const problems = [...pages.flatMap((page) => missingPaths(page, existsSync)), ...missingAnchors(pages)]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
