import { readFile, stat } from 'node:fs/promises'
import { run } from '../run-command.ts'
import type { TarEntry } from './tar.ts'

/** A program of this machine, and where it is in an image. */
export interface MachineProgram {
  readonly here: string
  readonly path: string
}

/** What a shell script needs that starts a program and copies files, on any Debian. */
export const shell: readonly MachineProgram[] = [
  { here: '/bin/dash', path: 'bin/sh' },
  { here: '/bin/cp', path: 'bin/cp' },
]

/** Programs with the shared libraries that they need: they run in an image that has nothing else. */
export async function withLibraries(programs: readonly MachineProgram[]): Promise<readonly MachineProgram[]> {
  const libraries = (await Promise.all(programs.map(({ here }) => librariesOf(here)))).flat()
  const shared = [...new Set(libraries)].sort().map((here) => ({ here, path: here.slice(1) }))
  return [...programs, ...shared]
}

async function librariesOf(program: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run('ldd', [program])
  if (code === 0) return [...stdout.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(/gm)].map(([, path = '']) => path)
  if (/not a dynamic executable/.test(stdout + stderr)) return []
  throw new Error(`"ldd ${program}" failed: ${stderr.trim() || stdout.trim()}`)
}

/** Their contents; links are followed, as the name is what programs look for. */
export function entriesOf(programs: readonly MachineProgram[]): Promise<readonly TarEntry[]> {
  return Promise.all(
    programs.map(async ({ here, path }) => {
      return { type: 'file', path, mode: 0o755, content: await readFile(here) } as const
    }),
  )
}

/** What shows that a program of the machine is another one than before, without reading it. */
export function versionsOf(programs: readonly MachineProgram[]): Promise<readonly string[]> {
  return Promise.all(
    programs.map(async ({ here, path }) => {
      const { size, mtimeMs } = await stat(here)
      return `${path} ${here} ${size} ${mtimeMs}`
    }),
  )
}
