import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Inside, mustInside } from '../inside.ts'
import { makeCgroup, processesIn } from './bed-directory.ts'
import { cgroupRoot, hierarchies } from './end-bed.ts'
import type { NodeLayout } from './layout.ts'
import { joinToPlane } from './network.ts'
import { type BedNamespace, insideNamespace } from './network-namespace.ts'
import {
  childrenOf,
  formatIdentity,
  isRunning,
  killProcess,
  type ProcessIdentity,
  parseIdentity,
  processIdentity,
} from './process-identity.ts'

/** What is needed to use a node from any process. */
export interface NodePlace {
  readonly layout: NodeLayout
  /** The bed's name and directory. */
  readonly bed: string
  readonly directory: string
  /** Where the other end of its cable is. */
  readonly plane: BedNamespace
}

const bootWithinMs = 20_000
const killedWithinMs = 20_000

/** Writes what the node reads when it boots: `init` and the files of /etc. */
export async function prepareNode(
  node: NodePlace,
  init: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directoryOf(node), 'etc', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { mode: 0o644 })
  }
  await mkdir(directoryOf(node), { recursive: true })
  await writeFile(join(directoryOf(node), 'init'), init)
  for (const hierarchy of hierarchies) await makeCgroup(hierarchy, groupOf(node))
}

/** Turns the power on: resolves when the node's root file system and network are there, and containerd is about to start. */
export async function bootNode(node: NodePlace, asBed: Inside, signal?: AbortSignal): Promise<void> {
  const { name } = node.layout
  const running = await recordedProcess(node)
  if (running !== undefined && isRunning(running))
    throw new Error(`${name} is running already; kill it before it boots again.`)
  const command = [
    'unshare',
    '--net',
    '--mount',
    '--uts',
    '--ipc',
    '--pid',
    '--cgroup',
    '--fork',
    '--kill-child',
  ]
  const [file, args] = inCgroups(node)('sh', [
    '-c',
    'log=$1; shift; exec "$@" > "$log" 2>&1 < /dev/null',
    'sh',
    logOf(node, 'init'),
    ...command,
    'bash',
    join(directoryOf(node), 'init'),
  ])
  const holder = spawn(file, args, { stdio: 'ignore', detached: true })
  holder.unref()
  if (holder.pid === undefined) throw new Error(`${name} could not be started.`)
  try {
    await recordProcess(node, await whenUp(node, holder, asBed, signal))
  } catch (error) {
    holder.kill('SIGKILL') // Which ends the node with it.
    throw error
  }
}

/** The first process of the node, once its root file system and network are there. */
async function whenUp(
  node: NodePlace,
  holder: ChildProcess,
  asBed: Inside,
  signal: AbortSignal | undefined,
): Promise<ProcessIdentity> {
  const { name } = node.layout
  const deadline = performance.now() + bootWithinMs
  const failIfLate = async () => {
    signal?.throwIfAborted()
    const hasEnded = holder.exitCode !== null || holder.signalCode !== null
    if (!hasEnded && performance.now() < deadline) return
    const log = await readFile(logOf(node, 'init'), 'utf8').catch(() => '')
    throw new Error(`${name} did not boot.\n${log}`)
  }
  let first: ProcessIdentity | undefined
  while ((first = holder.pid === undefined ? undefined : childrenOf(holder.pid)[0]) === undefined) {
    await failIfLate()
    await pause(5)
  }
  await mustInside(
    insideNamespace(node.plane, asBed),
    'ip',
    ['-batch', '-'],
    joinToPlane(name, first.pid).join('\n'),
  )
  while (!(await isUp(first.pid))) {
    await failIfLate()
    await pause(10)
  }
  return first
}

/** Takes the power away: all processes at once, and the cable. The disk stays. */
export async function killNode(node: NodePlace): Promise<void> {
  killProcess(await firstProcessOf(node))
  await rm(pidFileOf(node), { force: true })
  const deadline = performance.now() + killedWithinMs
  let left: readonly number[]
  while ((left = await processesIn(groupOf(node))).length > 0) {
    if (performance.now() > deadline)
      throw new Error(
        `${node.layout.name} was killed, and after ${killedWithinMs / 1000} s still has processes, which the kernel does not end: ${left.join(', ')}.`,
      )
    await pause(20)
  }
  // Else the kubelet of the node's next life looks for the dead containers, three seconds each.
  for (const hierarchy of hierarchies) await removeChildGroups(join(cgroupRoot, hierarchy, groupOf(node)))
}

/** Runs a command on a node: in all its namespaces and in its cgroups. Throws when the node has been killed since. */
export function insideNode(node: NodePlace, first: ProcessIdentity): Inside {
  return (command, args) => {
    if (!isRunning(first)) throw notRunning(node)
    return inCgroups(node)('nsenter', [
      '-t',
      String(first.pid),
      '-m',
      '-n',
      '-u',
      '-i',
      '-p',
      '-C',
      '-r',
      '-w',
      '--',
      command,
      ...args,
    ])
  }
}

/** The first process of a node that is running. */
export async function firstProcessOf(node: NodePlace): Promise<ProcessIdentity> {
  const recorded = await recordedProcess(node)
  if (recorded === undefined || !isRunning(recorded)) throw notRunning(node)
  return recorded
}

async function recordedProcess(node: NodePlace): Promise<ProcessIdentity | undefined> {
  return parseIdentity(await readFile(pidFileOf(node), 'utf8').catch(() => ''))
}

/** At once: another process may read it at any time. */
async function recordProcess(node: NodePlace, first: ProcessIdentity): Promise<void> {
  const unfinished = `${pidFileOf(node)}.unfinished`
  await writeFile(unfinished, formatIdentity(first))
  await rename(unfinished, pidFileOf(node))
}

function pidFileOf(node: NodePlace): string {
  return join(directoryOf(node), 'pid')
}

function notRunning({ layout: { name } }: NodePlace): Error {
  return new Error(`${name} is not running: it was killed, or ended by itself; boot it first.`)
}

/** Those of this name, as the kernel has it: the first 15 characters. */
export async function processesNamed(node: NodePlace, name: string): Promise<readonly ProcessIdentity[]> {
  const found: ProcessIdentity[] = []
  for (const pid of await processesIn(groupOf(node))) {
    const identity = processIdentity(pid)
    const comm = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (identity !== undefined && comm.trim() === name.slice(0, 15)) found.push(identity)
  }
  return found
}

export function directoryOf({ directory, layout }: NodePlace): string {
  return join(directory, layout.name)
}

export function logOf({ directory, layout }: NodePlace, service: string): string {
  return join(directory, 'logs', `${layout.name}-${service}.log`)
}

function groupOf({ bed, layout }: NodePlace): string {
  return `${bed}/${layout.name}`
}

function inCgroups(node: NodePlace): Inside {
  const enter = hierarchies.map(
    (hierarchy) => `echo $$ > ${cgroupRoot}/${hierarchy}/${groupOf(node)}/cgroup.procs`,
  )
  return (command, args) => ['sh', ['-c', `${enter.join(' && ')} && exec "$@"`, 'sh', command, ...args]]
}

/** Its root file system and its network are there: see the end of both in `nodeInit`. */
async function isUp(pid: number): Promise<boolean> {
  return readFile(`/proc/${pid}/root/run/portcullis-node-is-up`).then(
    () => true,
    () => false,
  )
}

async function removeChildGroups(group: string): Promise<void> {
  const children = await readdir(group, { withFileTypes: true }).catch(() => [])
  for (const child of children.filter((entry) => entry.isDirectory())) {
    const path = join(group, child.name)
    await removeChildGroups(path)
    await rmdir(path)
  }
}
