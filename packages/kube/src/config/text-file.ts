import { readFile } from 'node:fs/promises'

export type TextFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly problem: string }
  | { readonly kind: 'unreadable'; readonly problem: string }

/** Reads a whole file; a problem is returned as a sentence rather than thrown. */
export async function readTextFile(path: string): Promise<TextFile> {
  try {
    return { kind: 'text', text: await readFile(path, 'utf8') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    if (code === 'ENOENT') return { kind: 'missing', problem: `${path} does not exist` }
    return { kind: 'unreadable', problem: `${path} cannot be read: ${inWords[code] ?? code}` }
  }
}

const inWords: Readonly<Record<string, string>> = {
  EACCES: 'permission denied (EACCES); give this user the right to read it',
  EPERM: 'permission denied (EPERM); give this user the right to read it',
  EISDIR: 'it is a directory; name a file',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'too many symbolic links',
}
