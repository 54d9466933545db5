import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, fill } from '../cache.ts'

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
  if (!(await exists(directory))) {
    await removeUnused(parent, Date.now() - dayMs)
    await fill(directory, make)
  }
  const now = new Date()
  await utimes(directory, now, now)
  return directory
}

/** Any change of the sources is another image: what nobody has asked for since a day would only fill the disk. */
async function removeUnused(parent: string, before: number): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    const lastUse = await stat(path).catch(() => undefined)
    if (lastUse !== undefined && lastUse.mtimeMs < before) await rm(path, { recursive: true, force: true })
  }
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
