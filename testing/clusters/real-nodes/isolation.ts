import { readlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Inside } from '../inside.ts'
import { readNamespaceLinks } from '../isolation/namespace-links.ts'
import { waysOut } from '../isolation/ways-out.ts'
import { processesIn } from './bed-directory.ts'
import { insideNamespace } from './network-namespace.ts'
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts'

/** A program of the bed is in the machine's namespace until it has entered its own. */
const onItsWayMs = 3_000
const mostLooks = 10

/** Nothing may leave the machine: rejects if any network namespace that a process of the bed is in has a way out. */
export async function requireNoWayOut(bed: string, asBed: Inside): Promise<void> {
  const found = await waysOutOf(bed, asBed)
  if (found.length > 0) throw new Error(`Packets of the bed could leave the machine.\n${found.join('\n')}`)
}

/**
 * Of all its namespaces, those of pods included. A process of the bed that stays in the machine's own namespace has all the ways out
 * that the machine has.
 */
export async function waysOutOf(bed: string, asBed: Inside): Promise<readonly string[]> {
  for (let look = 1; ; look++) {
    const namespaces = await namespacesOf(bed)
    try {
      return await waysOutOfNamespaces(namespaces, asBed)
    } catch (error) {
      // A pod that ends takes its namespace with it while we look.
      const areAllThere = [...namespaces.values()].every(([oldest]) => oldest && isRunning(oldest))
      if (areAllThere || look === mostLooks) throw error
    }
  }
}

async function waysOutOfNamespaces(
  namespaces: ReadonlyMap<string, readonly ProcessIdentity[]>,
  asBed: Inside,
): Promise<readonly string[]> {
  const outside = await readlink('/proc/self/ns/net')
  const inMachine = namespaces.get(outside) ?? []
  const oldest = [...namespaces].flatMap(([namespace, [first]]) =>
    first === undefined || namespace === outside ? [] : [first],
  )
  const links = await Promise.all(
    oldest.map((process) =>
      readNamespaceLinks(
        `the namespace of process ${process.pid}`,
        insideNamespace({ name: String(process.pid), ...process }, asBed),
      ),
    ),
  )
  return [...waysOut(links), ...(await staying(inMachine, outside))]
}

/** The processes of a bed by their network namespaces; the oldest first, which is the least likely to end while we look. */
async function namespacesOf(bed: string): Promise<ReadonlyMap<string, readonly ProcessIdentity[]>> {
  const processes = (await processesIn(bed)).flatMap((pid) => processIdentity(pid) ?? [])
  const namespaces = new Map<string, readonly ProcessIdentity[]>()
  for (const process of processes.toSorted((one, other) => one.start - other.start)) {
    const namespace = await namespaceOf(process.pid)
    if (namespace !== undefined) namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), process])
  }
  return namespaces
}

/** Those that are in this namespace still after a while: what enters the bed is on its way for a moment. */
async function staying(processes: readonly ProcessIdentity[], namespace: string): Promise<readonly string[]> {
  const deadline = performance.now() + onItsWayMs
  let left = processes
  for (;;) {
    const namespaces = await Promise.all(left.map(({ pid }) => namespaceOf(pid)))
    left = left.filter((each, index) => namespaces[index] === namespace && isRunning(each))
    if (left.length === 0 || performance.now() > deadline) break
    await pause(50)
  }
  return left.map(({ pid }) => `process ${pid} is in the network namespace of the machine itself`)
}

async function namespaceOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/net`).catch(() => undefined)
}
