import { readFileSync } from 'node:fs'

/** A process: its number alone may be another's soon. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it began, in ticks since the machine did. */
  readonly start: number
}

/** The process that has this number now. One that has ended, and waits for its parent to notice, counts as gone. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const stat = contentOf(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [afterName[0] ?? 'X', Number(afterName[19])]
  return 'ZX'.includes(state) ? undefined : { pid, start }
}

export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return processIdentity(pid)?.start === start
}

/** SIGKILL; false if the process is gone, whoever has its number by now. */
export function killProcess(identity: ProcessIdentity): boolean {
  // 0 and 1 are never what is meant: this process' whole group, and the machine.
  if (identity.pid <= 1 || !isRunning(identity)) return false
  try {
    return process.kill(identity.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Those that it has started itself. */
export function childrenOf(pid: number): readonly ProcessIdentity[] {
  const children = contentOf(`/proc/${pid}/task/${pid}/children`) ?? ''
  return children
    .split(' ')
    .filter(Boolean)
    .flatMap((child) => processIdentity(Number(child)) ?? [])
}

/** `PID-START`, as it stands in names of directories and in files. */
export function formatIdentity({ pid, start }: ProcessIdentity): string {
  return `${pid}-${start}`
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, start] = /^([1-9]\d*)-(\d+)$/.exec(text) ?? []
  return pid === undefined || start === undefined ? undefined : { pid: Number(pid), start: Number(start) }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // The process is gone.
  }
}
