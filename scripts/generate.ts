// `npm run generate`: writes every file that is made from the code. With --check it writes nothing and fails
// where a file is not what the code would write.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { apiPage } from './api-page.ts'
import { architecturePage } from './architecture-page.ts'
import { chartFiles } from './chart-files.ts'
import { commandsPage } from './commands-page.ts'
import { crdFiles } from './crd-files.ts'
import { licencesPage } from './licences.ts'
import { metricsPage } from './metrics-page.ts'
import { performancePage } from './performance-page.ts'
import { reliabilityPage } from './proof-block.ts'
import { reasonsPage } from './reasons-page.ts'
import { settingsPage } from './settings-page.ts'

/** Each generated file and what should stand in it. */
const files: { readonly path: string; readonly content: () => string | Promise<string> }[] = [
  { path: 'docs/api.md', content: apiPage },
  { path: 'docs/architecture.md', content: architecturePage },
  { path: 'docs/commands.md', content: commandsPage },
  { path: 'docs/metrics.md', content: metricsPage },
  { path: 'docs/performance.md', content: performancePage },
  { path: 'docs/settings.md', content: settingsPage },
  { path: 'docs/reasons.md', content: reasonsPage },
  { path: 'docs/reliability.md', content: reliabilityPage },
  { path: 'docs/third-party-licences.md', content: licencesPage },
  ...crdFiles,
  ...chartFiles,
]

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

for (const { path, content } of files) {
  const wanted = await content()
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present === wanted) continue
  if (values.check) {
    console.error(`${path} is ${present === undefined ? 'missing' : 'not what the code would generate'}.`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, wanted)
    console.log(`wrote ${path}`)
  }
}
