import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NodeFile } from '@portcullis/onprem'

export interface Writing {
  readonly directory: string
  readonly files: readonly NodeFile[]
  /** All paths that this command manages: a file at one of them that is not among `files` must not exist. */
  readonly allPaths: readonly string[]
  /** Overwrite and remove existing files with other content. */
  readonly force: boolean
}

interface Step {
  readonly did: 'wrote' | 'unchanged' | 'overwrote' | 'removed'
  readonly path: string
  readonly content: string | undefined
}

/** Writes the files to a directory, and returns what was done for each. If an existing file conflicts, nothing is written. */
export async function writeNodeFiles(writing: Writing): Promise<readonly string[]> {
  const { directory, files, allPaths, force } = writing
  const wanted = new Map(files.map(({ path, content }) => [path, content]))
  const steps: Step[] = []
  for (const path of new Set([...wanted.keys(), ...allPaths])) {
    const step = decide(path, wanted.get(path), await contentOf(join(directory, path)))
    if (step !== undefined) steps.push(step)
  }
  const conflicting = steps.filter(({ did }) => did === 'overwrote' || did === 'removed')
  if (conflicting.length > 0 && !force) throw new Error(refusal(directory, conflicting))
  for (const { did, path, content } of steps) {
    const place = join(directory, path)
    if (did === 'removed' || did === 'overwrote') await rm(place, { recursive: true })
    if (content === undefined || did === 'unchanged') continue
    await mkdir(dirname(place), { recursive: true })
    // `wx`: a file that was created in the meantime is not ours.
    await writeFile(place, content, { flag: 'wx' })
  }
  return steps.map(({ did, path }) => `${did} ${join(directory, path)}`)
}

function decide(path: string, wanted: string | undefined, found: Found): Step | undefined {
  if (found === 'nothing') return wanted === undefined ? undefined : { did: 'wrote', path, content: wanted }
  if (wanted === undefined) return { did: 'removed', path, content: wanted }
  const isSame = found !== 'no file' && found.text === wanted
  return { did: isSame ? 'unchanged' : 'overwrote', path, content: wanted }
}

type Found = 'nothing' | 'no file' | { readonly text: string }

/** A symbolic link does not count as a file: its target may belong to someone else. */
async function contentOf(path: string): Promise<Found> {
  try {
    return (await lstat(path)).isFile() ? { text: await readFile(path, 'utf8') } : 'no file'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing'
    throw error
  }
}

function refusal(directory: string, steps: readonly Step[]): string {
  const lines = steps.map(({ did, path }) =>
    did === 'removed'
      ? `${join(directory, path)} exists, and this node must not have it.`
      : `${join(directory, path)} exists with other content.`,
  )
  return [
    'Nothing was written:',
    ...lines,
    'Choose another directory, or overwrite and remove with --force.',
  ].join('\n')
}
