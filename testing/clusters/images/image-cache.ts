import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fill } from '../cache.ts'

export interface CachedArchive {
  readonly cache: string
  readonly name: string
  /** All that the archive is made from, or what stands for it. */
  readonly inputs: readonly string[]
}

const dayMs = 24 * 60 * 60 * 1000

/** The path of an archive that is made once, and again when what it is made from has changed. */
export async function archivedOnce(
  { cache, name, inputs }: CachedArchive,
  make: () => Promise<readonly Uint8Array[]>,
): Promise<string> {
  const directory = await filledOnce({ cache, name, inputs }, async (into) => {
    await writeFile(join(into, 'images.tar'), await make())
  })
  return join(directory, 'images.tar')
}

/** A directory that is made once, likewise. */
export async function filledOnce(
  { cache, name, inputs }: CachedArchive,
  make: (into: string) => Promise<void>,
): Promise<string> {
  const parent = join(cache, 'images', name)
  const directory = join(
    parent,
    hashOf([`${process.platform} ${process.arch}`, ...(await makers()), ...inputs]),
  )
  if (!(await markUsed(directory))) {
    await removeUnused(parent, Date.now() - dayMs)
    await fill(directory, make)
    await markUsed(directory)
  }
  return directory
}

/** Finds it and says so in one step, so that another run does not remove what this one has found; false if it is not there. */
async function markUsed(directory: string): Promise<boolean> {
  const now = new Date()
  return utimes(directory, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** Any change of the sources is another image: what nobody has asked for since a day would only fill the disk. */
async function removeUnused(parent: string, before: number): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    if (await isUsedSince(path, before)) continue
    // Moved first: nobody may find what is half removed. Another run may have found it just before.
    const aside = `${path}.unused-${process.pid}`
    await rename(path, aside).catch(() => {})
    if (await isUsedSince(aside, before)) await rename(aside, path).catch(() => {})
    else await rm(aside, { recursive: true, force: true })
  }
}

async function isUsedSince(path: string, time: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs >= time
}

/** The sources of what makes the images. */
async function makers(): Promise<readonly string[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => !name.endsWith('.test.ts'))
  return Promise.all(names.sort().map((name) => readFile(join(import.meta.dirname, name), 'utf8')))
}

export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex').slice(0, 16)
}
