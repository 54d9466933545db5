import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** What a user types, and what they see. */
export interface Transcript {
  readonly claim: string
  /** In which it happens: the name is part of what is seen. */
  readonly namespace: string
  /** The lines that are typed, each after `$ `, and what follows each. */
  readonly text: string
}

/** Those in one of the directories here, by name. */
export async function readTranscripts(directory: 'both-clusters' | 'sandbox-alone'): Promise<Transcript[]> {
  const folder = new URL(`transcripts/${directory}/`, import.meta.url)
  const files = (await readdir(folder)).filter((file) => file.endsWith('.txt')).sort()
  return Promise.all(
    files.map(async (file) => {
      const [first = '', ...rest] = (await readFile(new URL(file, folder), 'utf8')).split('\n')
      return {
        claim: first.replace(/^# /, ''),
        namespace: `kubectl-${basename(file, '.txt')}`,
        text: rest.join('\n'),
      }
    }),
  )
}
