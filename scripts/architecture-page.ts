// docs/architecture.md: written by hand, but for the packages and the arrows between them.
import { readFile } from 'node:fs/promises'
import { packagesBlock, withPackagesBlock } from './architecture.ts'
import { readWorkspace } from './workspace.ts'

export async function architecturePage(): Promise<string> {
  return withPackagesBlock(await readFile('docs/architecture.md', 'utf8'), packagesBlock(readWorkspace()))
}
