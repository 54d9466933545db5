import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Inside, mustInside } from '../inside.ts'
import { makeCgroup, processesIn } from './bed-directory.ts'
import { cgroupRoot, hierarchies } from './end-bed.ts'
import type { NodeLayout } from './layout.ts'
import { joinToPlane } from './network.ts'
import { type BedNamespace, insideNamespace } from './network-namespace.ts'

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
export async function bootNode(node: NodePlace, asBed: Inside): Promise<void> {
  const { name } = node.layout
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
  const deadline = performance.now() + bootWithinMs
  const failIfLate = async () => {
    if (holder.exitCode === null && performance.now() < deadline) return
    const log = await readFile(logOf(node, 'init'), 'utf8').catch(() => '')
    throw new Error(`${name} did not boot.\n${log}`)
  }
  let pid: number | undefined
  while ((pid = await onlyChildOf(holder.pid)) === undefined) {
    await failIfLate()
    await pause(5)
  }
  await mustInside(
    insideNamespace(node.plane, asBed),
    'ip',
    ['-batch', '-'],
    joinToPlane(name, pid).join('\n'),
  )
  while (!(await isUp(pid))) {
    await failIfLate()
    await pause(10)
  }
  await writeFile(join(directoryOf(node), 'pid'), String(pid))
}

/** Takes the power away: all processes at once, and the cable. The disk stays. */
export async function killNode(node: NodePlace): Promise<void> {
  const pid = await pidOf(node)
  process.kill(pid, 'SIGKILL')
  while ((await processesIn(groupOf(node))).length > 0) await pause(20)
  // Else the kubelet of the node's next life looks for the dead containers, three seconds each.
  for (const hierarchy of hierarchies) await removeChildGroups(join(cgroupRoot, hierarchy, groupOf(node)))
}

/** Runs a command on a node: in all its namespaces and in its cgroups. */
export function insideNode(node: NodePlace, pid: number): Inside {
  return (command, args) =>
    inCgroups(node)('nsenter', [
      '-t',
      String(pid),
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

/** Of the first process of the node. */
export async function pidOf(node: NodePlace): Promise<number> {
  return Number(await readFile(join(directoryOf(node), 'pid'), 'utf8'))
}

/** Those of this name, as the kernel has it: the first 15 characters. */
export async function processesNamed(node: NodePlace, name: string): Promise<readonly number[]> {
  const found: number[] = []
  for (const pid of await processesIn(groupOf(node))) {
    const comm = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (comm.trim() === name.slice(0, 15)) found.push(pid)
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

async function onlyChildOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const [child] = children.trim().split(' ').filter(Boolean)
  return child === undefined ? undefined : Number(child)
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
