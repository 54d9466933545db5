import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Inside } from '../inside.ts'
import { run } from '../run-command.ts'
import { cgroupRoot, endBed, endBedWhenInputEnds, enterCgroup, hierarchies } from './end-bed.ts'

const prefix = 'portcullis-nodes-'

/**
 * What a bed occupies on this machine: a temporary directory, and cgroups of the same name that hold all its processes.
 * `remove` ends both; a shell does it when this process dies; the next bed does it when that shell died too.
 */
export class BedDirectory {
  readonly path: string
  readonly #watchdog: ChildProcessByStdio<Writable, null, null>

  static async create(): Promise<BedDirectory> {
    await removeAbandoned()
    const path = await mkdtemp(join(tmpdir(), `${prefix}${await processIdentity(process.pid)}-`))
    const directory = new BedDirectory(path)
    for (const hierarchy of hierarchies) await makeCgroup(hierarchy, directory.name)
    await mkdir(join(path, 'logs'))
    return directory
  }

  private constructor(path: string) {
    this.path = path
    // Detached, so that Ctrl-C in our terminal does not end it first.
    this.#watchdog = spawn('sh', ['-c', endBedWhenInputEnds, 'portcullis-nodes', this.name, path], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#watchdog.stdin.on('error', () => {}) // It was killed: the next bed cleans up.
    this.#watchdog.unref()
  }

  /** Of its cgroups, too. */
  get name(): string {
    return basename(this.path)
  }

  async remove(): Promise<void> {
    await run('sh', ['-c', endBed, 'portcullis-nodes', this.name, this.path])
    if (this.#watchdog.exitCode !== null || this.#watchdog.signalCode !== null) return
    const ended = once(this.#watchdog, 'exit')
    this.#watchdog.ref()
    this.#watchdog.stdin.end('over\n')
    await ended
  }
}

/** Runs a command as one of the bed's processes. */
export function asProcessOf(bed: string): Inside {
  return (command, args) => [
    'sh',
    ['-c', enterCgroup, `${cgroupRoot}/pids/${bed}/cgroup.procs`, command, ...args],
  ]
}

/** A group of the bed's, or of one of its nodes. Whoever makes a cpuset says which processors and memory are in it. */
export async function makeCgroup(hierarchy: string, name: string): Promise<void> {
  const path = join(cgroupRoot, hierarchy, name)
  await mkdir(path, { recursive: true })
  if (hierarchy !== 'cpuset') return
  for (const file of ['cpuset.cpus', 'cpuset.mems'])
    await writeFile(join(path, file), await readFile(join(cgroupRoot, hierarchy, file), 'utf8'))
}

/** The processes of a group of the bed's, or of one of its nodes, with all groups below: pods are in those. */
export async function processesIn(group: string): Promise<readonly number[]> {
  const tree = join(cgroupRoot, 'pids', group)
  const { stdout } = await run('find', [tree, '-name', 'cgroup.procs', '-exec', 'cat', '{}', '+'])
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** Removes what beds left whose process is gone. */
export async function removeAbandoned(): Promise<void> {
  const inTemporary = await readdir(tmpdir())
  const inCgroups = await readdir(join(cgroupRoot, 'pids')).catch(() => [])
  const names = new Set([...inTemporary, ...inCgroups].filter((name) => name.startsWith(prefix)))
  for (const name of names)
    if (!(await hasLivingOwner(name)))
      await run('sh', ['-c', endBed, 'portcullis-nodes', name, join(tmpdir(), name)])
}

async function hasLivingOwner(bed: string): Promise<boolean> {
  const owner = /^\d+-\d+/.exec(bed.slice(prefix.length))?.[0]
  if (owner === undefined) return false
  const [pid] = owner.split('-')
  return (await processIdentity(Number(pid)).catch(() => undefined)) === owner
}

/** The number of a process, and when it began: the number alone may be another's soon. */
async function processIdentity(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return `${pid}-${afterName[19]}`
}
