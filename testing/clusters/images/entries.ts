import { dirname } from 'node:path/posix'
import type { TarEntry } from './tar.ts'

/** With the directories that entries lie in, each before what is in it. */
export function withParents(entries: readonly TarEntry[]): readonly TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  for (const { path } of entries)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent))
      if (!byPath.has(parent)) byPath.set(parent, { type: 'directory', path: parent })
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}
