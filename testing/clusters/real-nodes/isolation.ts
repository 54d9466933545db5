import { readlink } from 'node:fs/promises'
import type { Inside } from '../inside.ts'
import { readNamespaceLinks } from '../isolation/namespace-links.ts'
import { waysOut } from '../isolation/ways-out.ts'
import { processesIn } from './bed-directory.ts'
import { insideNamespace } from './network-namespace.ts'

/** Nothing may leave the machine: rejects if any network namespace that a process of the bed is in has a way out. */
export async function requireNoWayOut(bed: string, asBed: Inside): Promise<void> {
  const found = await waysOutOf(bed, asBed)
  if (found.length > 0) throw new Error(`Packets of the bed could leave the machine.\n${found.join('\n')}`)
}

/** Of all its namespaces, those of pods included. */
export async function waysOutOf(bed: string, asBed: Inside): Promise<readonly string[]> {
  const namespaces = new Map<string, number>()
  const pids = await processesIn(bed)
  // The oldest process of a namespace is the least likely to end while we look.
  for (const pid of pids.toSorted((one, other) => one - other)) {
    const namespace = await readlink(`/proc/${pid}/ns/net`).catch(() => undefined)
    if (namespace !== undefined && !namespaces.has(namespace)) namespaces.set(namespace, pid)
  }
  // Processes of the bed wait in the machine's own namespace for nothing but a child that is not.
  namespaces.delete(await readlink('/proc/self/ns/net'))
  const links = await Promise.all(
    [...namespaces.values()].map((pid) =>
      readNamespaceLinks(
        `the namespace of process ${pid}`,
        insideNamespace({ name: String(pid), pid }, asBed),
      ),
    ),
  )
  return waysOut(links)
}
