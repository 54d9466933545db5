import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

test('testing/README.md names every folder of testing', async () => {
  const readme = await readFile('testing/README.md', 'utf8')
  const entries = await readdir('testing', { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(folders.length).toBeGreaterThan(10)
  for (const folder of folders) expect(readme).toContain(`\`${folder}/\``)
})
