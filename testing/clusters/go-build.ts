import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, fill } from './cache.ts'
import { go, requireGo } from './go-toolchain.ts'
import type { Log } from './log.ts'
import { withProgress } from './progress.ts'

/** Programs that are built from a Go module: those of its `tool` directives, or its own. */
export interface Build {
  readonly module: string
  readonly ldflags: string
  readonly packages: 'tool' | '.'
}

interface BuildCache {
  readonly cache: string
  readonly name: string
  readonly builds: readonly Build[]
}

/** The directory with what `work` makes of the builds; it works once, and again when their sources have changed. */
export async function builtOnce(
  { cache, name, builds }: BuildCache,
  work: (into: string) => Promise<void>,
): Promise<string> {
  const directory = join(cache, name, await cacheKey(builds))
  if (!(await exists(directory))) await fill(directory, work)
  return directory
}

/** Another set of sources or flags, or another machine that shares the home directory, is another build. */
async function cacheKey(builds: readonly Build[]): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const { module, ldflags } of builds) {
    const sources = (await readdir(module)).filter((name) => /^go\.(mod|sum)$|\.go$/.test(name))
    for (const source of sources.sort()) hash.update(await readFile(join(module, source)))
    hash.update(ldflags)
  }
  return hash.digest('hex').slice(0, 16)
}

/** @throws `ToolMissing` where there is no Go that can build it */
export async function build(
  { module, ldflags, packages }: Build,
  what: string,
  into: string,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<void> {
  await requireGo(module, signal)
  const args = ['build', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', into, packages]
  const env = { CGO_ENABLED: '0' }
  await withProgress(log, `go build ${what}`, () => go(args, { module, env, signal }))
}
