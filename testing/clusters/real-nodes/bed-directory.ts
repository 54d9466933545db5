import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Inside } from '../inside.ts'
import { run } from '../run-command.ts'
import { cgroupRoot, endBed, endBedWhenInputEnds, enterCgroup, hierarchies } from './end-bed.ts'
import {
  formatIdentity,
  isRunning,
  type ProcessIdentity,
  parseIdentity,
  processIdentity,
} from './process-identity.ts'

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
    const self = processIdentity(process.pid)
    if (self === undefined) throw new Error('A bed needs /proc, where it reads when its process began.')
    const path = await mkdtemp(join(tmpdir(), `${prefix}${formatIdentity(self)}-`))
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

/**
 * Removes what beds left whose process is gone. This runs as root, in a directory where everybody writes: what is no directory, or
 * has another name, is not ours.
 */
export async function removeAbandoned(
  temporary = tmpdir(),
  groups = join(cgroupRoot, 'pids'),
): Promise<void> {
  const names = await Promise.all([temporary, groups].map(directoriesIn))
  for (const name of new Set(names.flat())) {
    const owner = ownerOf(name)
    if (owner !== undefined && !isRunning(owner))
      await run('sh', ['-c', endBed, 'portcullis-nodes', name, join(temporary, name)])
  }
}

/** The process that made the bed of this name; undefined where it is not the name of a bed. */
export function ownerOf(name: string): ProcessIdentity | undefined {
  const [, owner] = /^portcullis-nodes-(\d+-\d+)-[A-Za-z0-9]{6}$/.exec(name) ?? []
  return owner === undefined ? undefined : parseIdentity(owner)
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
