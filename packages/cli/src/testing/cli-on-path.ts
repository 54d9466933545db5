import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const tsx = fileURLToPath(new URL('../../../../node_modules/tsx/dist/loader.mjs', import.meta.url))

/** A directory for the PATH that contains our program under these names, until the test finishes. */
export async function cliOnPath(...names: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-path-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const name of names) {
    await symlink(main, join(directory, `${name}.ts`))
    const script = `#!/bin/sh\nexec '${process.execPath}' --import '${tsx}' '${join(directory, name)}.ts' "$@"\n`
    await writeFile(join(directory, name), script)
    await chmod(join(directory, name), 0o755)
  }
  return directory
}
