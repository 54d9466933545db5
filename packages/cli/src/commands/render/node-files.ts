import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NodeFile } from '@portcullis/onprem'

export interface Writing {
  readonly directory: string
  readonly files: readonly NodeFile[]
  /** Where no file must be unless it is among the files. */
  readonly allPaths: readonly string[]
  /** Overwrites and removes what exists with other content. */
  readonly force: boolean
}

interface Step {
  readonly did: 'wrote' | 'unchanged' | 'overwrote' | 'removed'
  readonly path: string
  readonly content: string | undefined
}

/** Makes a directory hold these files; says for each what was done. All or, where something is in the way, nothing. */
export async function writeNodeFiles(writing: Writing): Promise<readonly string[]> {
  const { directory, files, allPaths, force } = writing
  const wanted = new Map(files.map(({ path, content }) => [path, content]))
  const steps: Step[] = []
  for (const path of new Set([...wanted.keys(), ...allPaths])) {
    const step = decide(path, wanted.get(path), await contentOf(join(directory, path)))
    if (step !== undefined) steps.push(step)
  }
  const inTheWay = steps.filter(({ did }) => did === 'overwrote' || did === 'removed')
  if (inTheWay.length > 0 && !force) throw new Error(refusal(directory, inTheWay))
  for (const { did, path, content } of steps) {
    const place = join(directory, path)
    if (did === 'removed' || did === 'overwrote') await rm(place, { recursive: true })
    if (content === undefined || did === 'unchanged') continue
    await mkdir(dirname(place), { recursive: true })
    // What appeared since we looked is somebody's.
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

/** What a link leads to is somebody else's: a link is no file. */
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
