import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import type { Clock } from '../clock.ts'

/** The part of `process` that shows which process started it. */
export interface ProcessInfo {
  readonly pid: number
  readonly ppid: number
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ProcessEntry {
  readonly parent: number
  readonly command: string
  /** Of all processes of one job; a new session begins with a new group. */
  readonly group: number
  /** The file or device that is its standard input, where that can be known. */
  readonly stdin: string | undefined
}

/** What is asked of the operating system about another process. */
export interface ProcessTable {
  /** Undefined for a process that has ended, a zombie included. */
  find(pid: number): ProcessEntry | undefined
  isAlive(pid: number): boolean
}

/** How soon a process notices that npm is gone. */
const pollMs = 500

const shell = /^-?(?:.*\/)?(?:a|ba|da|k|z)?sh$|^busybox$/

/**
 * The parents of a process that npm started: npm itself, and the shell in between if there is one. npm forwards SIGINT and
 * SIGTERM only, and to that shell, which ends without forwarding them; SIGKILL cannot be forwarded at all. So the end
 * of npm would leave behind what it ran. Started in any other way a process has no npm parents, and neither has one that
 * was put in the background on purpose: everything below npm has npm's environment.
 */
export function npmParentsOf(info: ProcessInfo, table: ProcessTable): readonly number[] {
  const { pid, ppid, platform, env } = info
  // Windows does not show the parents of processes by these means, and ends a console's processes together.
  if (platform === 'win32' || env['npm_execpath'] === undefined) return []
  const above = shellsAbove(ppid, table)
  const self = table.find(pid)
  const isLeft = usesNohup(env) || (self !== undefined && isInBackground(self, [...above.values()]))
  return isLeft ? [] : [...above.keys()]
}

/** Up to the first that is no shell. */
function shellsAbove(ppid: number, table: ProcessTable): ReadonlyMap<number, ProcessEntry> {
  const chain = new Map<number, ProcessEntry>()
  for (let pid = ppid; pid > 1 && !chain.has(pid); ) {
    const found = table.find(pid)
    if (found === undefined) break
    chain.set(pid, found)
    if (!shell.test(found.command)) break
    pid = found.parent
  }
  return chain
}

/** That `nohup` had SIGHUP ignored cannot be seen any more: Node undoes that before anything else. */
function usesNohup(env: ProcessInfo['env']): boolean {
  return /(?:^|[\s;&|(/])nohup\s/.test(env['npm_lifecycle_script'] ?? '')
}

/**
 * Shells that people type into give each job a group of its own, and the terminal ends it or does not; `setsid` does it, too.
 * A shell without jobs has what it puts in the background read /dev/null, as `nohup` does at a terminal.
 */
function isInBackground({ group, stdin }: ProcessEntry, above: readonly ProcessEntry[]): boolean {
  const readsNothing = stdin === nothing
  return above.some(
    (each) => each.group !== group || (readsNothing && each.stdin !== undefined && each.stdin !== nothing),
  )
}

const nothing = '/dev/null'

/** Calls back once, when one of the parents has ended; the returned function stops the watching. */
export function onNpmParentsExit(
  info: ProcessInfo,
  { clock, table }: { readonly clock: Clock; readonly table: ProcessTable },
  callback: () => void,
): () => void {
  const parents = npmParentsOf(info, table)
  const [parent] = parents
  if (parent === undefined) return () => {}
  const look = () => {
    // A process whose parent ends gets another.
    if (info.ppid !== parent || !parents.every((pid) => table.isAlive(pid))) callback()
    else cancel = clock.after(pollMs, look)
  }
  let cancel = clock.after(pollMs, look)
  return () => cancel()
}

/** Reads /proc where there is one, and else asks `ps` and the kernel. */
export const systemProcesses: ProcessTable = {
  find: (pid) => {
    try {
      if (process.platform === 'linux') return fromProc(pid)
      const line = execFileSync('ps', ['-o', 'ppid=,pgid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
      const [parent, group, ...command] = line.trim().split(/\s+/)
      return { parent: Number(parent), group: Number(group), command: command.join(' '), stdin: undefined }
    } catch {
      return undefined
    }
  },
  isAlive: (pid) => {
    try {
      // A zombie process, whose exit code was not read yet, can still be sent signals.
      if (process.platform === 'linux') return fromProc(pid) !== undefined
      return process.kill(pid, 0)
    } catch (error) {
      return !meansEnded(error)
    }
  },
}

/** Anything else means that it could not be looked at: too many files are open, memory is short, it is another user's. */
export function meansEnded(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** `4711 (sh) S 4710 4709 …`: the command may hold blanks and brackets. */
function fromProc(pid: number): ProcessEntry | undefined {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const end = text.lastIndexOf(')')
  const [state, parent, group] = text.slice(end + 2).split(' ')
  if (state === 'Z' || state === 'X') return undefined
  return {
    parent: Number(parent),
    group: Number(group),
    command: text.slice(text.indexOf('(') + 1, end),
    stdin: stdinOf(pid),
  }
}

/** Not readable for another user's process. */
function stdinOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/0`)
  } catch {
    return undefined
  }
}
