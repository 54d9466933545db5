import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { go, withProgress } from './go-toolchain.ts'
import type { Log } from './log.ts'

/** Programs that are built from a Go module: those of its `tool` directives, or its own. */
export interface Build {
  readonly module: string
  readonly ldflags: string
  readonly packages: 'tool' | '.'
}

/** PORTCULLIS_CACHE where it is set, else the user's cache directory. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['PORTCULLIS_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portcullis')
}

interface Place {
  readonly cache: string
  readonly name: string
  readonly builds: readonly Build[]
}

/** The directory with what `work` makes of the builds; it works once, and again when their sources have changed. */
export async function builtOnce(
  { cache, name, builds }: Place,
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

export async function build(
  { module, ldflags, packages }: Build,
  what: string,
  into: string,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['build', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', into, packages]
  const env = { CGO_ENABLED: '0' }
  await withProgress(log, `go build ${what}`, () => go(args, { module, env, signal }))
}

/**
 * Makes a directory that is there either whole or not at all. Two processes may both do the work; the first to
 * finish wins, and the other one uses what it made.
 */
async function fill(directory: string, work: (into: string) => Promise<void>): Promise<void> {
  const unfinished = `${directory}.building-`
  const into = `${unfinished}${process.pid}`
  await removeAbandoned(unfinished)
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  try {
    await work(into)
    await rename(into, directory).catch(async (error: unknown) => {
      if (!(await exists(directory))) throw error
    })
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}

/** What a build that was killed left behind. */
async function removeAbandoned(prefix: string): Promise<void> {
  const parent = dirname(prefix)
  const entries = await readdir(parent).catch(() => [])
  const abandoned = entries
    .filter((name) => name.startsWith(basename(prefix)))
    .filter((name) => !isRunning(Number(name.slice(basename(prefix).length))))
  for (const name of abandoned) await rm(join(parent, name), { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // It runs, and is another user's.
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
