import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { go, withProgress } from './go-toolchain.ts'
import type { Log } from './log.ts'

/** Programs to be built: the tools of a Go module. */
export interface GoBuild {
  readonly module: string
  readonly ldflags: string
}

/** Another set of sources or flags, or another machine that shares the home directory, is another build. */
export async function cacheKey(builds: readonly GoBuild[]): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const { module, ldflags } of builds) {
    hash.update(await readFile(join(module, 'go.mod')))
    hash.update(await readFile(join(module, 'go.sum')))
    hash.update(ldflags)
  }
  return hash.digest('hex').slice(0, 16)
}

export async function build(
  { module, ldflags }: GoBuild,
  what: string,
  into: string,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['build', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', into, 'tool']
  const env = { CGO_ENABLED: '0' }
  await withProgress(log, `go build ${what}`, () => go(args, { module, env, signal }))
}
