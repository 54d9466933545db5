import { access, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** PORTCULLIS_CACHE where it is set, else the user's cache directory. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['PORTCULLIS_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portcullis')
}

/**
 * Makes a directory that is there either whole or not at all. Two processes may both do the work; the first to
 * finish wins, and the other one uses what it made.
 */
export async function fill(directory: string, work: (into: string) => Promise<void>): Promise<void> {
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

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
