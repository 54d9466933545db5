import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Some dependencies are CommonJS, and expect a `require` that modules do not have.
const requireForDependencies = `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`

/** The worker as one plain file: as it is loaded otherwise, each function that is made costs something. */
export async function bundledWorker(): Promise<{ file: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-faults-'))
  const file = join(directory, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    banner: { js: requireForDependencies },
  })
  return { file, remove: () => rm(directory, { recursive: true }) }
}
