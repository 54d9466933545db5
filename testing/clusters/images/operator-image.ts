import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../run-command.ts'
import { type Containerfile, readContainerfile } from './containerfile.ts'
import { withParents } from './entries.ts'
import type { ImageConfig } from './oci-archive.ts'
import type { TarEntry } from './tar.ts'

export const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** What the operator's image has on top of its base, and what it is started with. */
export interface OperatorImage {
  readonly config: ImageConfig
  readonly layer: readonly TarEntry[]
}

/**
 * Made as the Containerfile says, in a second: its last stage is carried out here, with what this checkout's build makes.
 * `nodes/operator-image.test.ts` compares it with what buildah makes of the same file.
 */
export async function operatorImage(base: ImageConfig): Promise<OperatorImage> {
  const file = readContainerfile(await readFile(join(repository, 'Containerfile'), 'utf8'))
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-operator-image-'))
  try {
    await mustRun('scripts/build.mjs', '--standalone', '--outdir', join(directory, 'dist'))
    await mustRun('--import', 'tsx', 'scripts/sbom.ts', join(directory, 'dist', 'sbom.cdx.json'))
    return { config: { ...base, ...file.config }, layer: await layerOf(file, directory) }
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function layerOf({ copies }: Containerfile, made: string): Promise<readonly TarEntry[]> {
  const entries = await Promise.all(
    copies.map(async ({ from, to }) => {
      const file = join(from.startsWith('dist/') ? made : repository, from)
      const { mode } = await stat(file)
      return { type: 'file', path: to, mode: mode & 0o777, content: await readFile(file) } as const
    }),
  )
  return withParents(entries)
}

async function mustRun(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(process.execPath, args, { cwd: repository })
  if (code !== 0) throw new Error(`"node ${args.join(' ')}" failed:\n${stderr.trim()}`)
}
