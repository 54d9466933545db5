import { spawn } from 'node:child_process'
import { readlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Inside, inNetworkOf, mustInside } from '../inside.ts'
import type { NamespaceNetwork } from './network.ts'

/** A network namespace of the bed: plain data, which can cross to another process. It is gone when the last process in it is. */
export interface BedNamespace {
  readonly name: string
  /** A process in it that lives as long as the bed. */
  readonly pid: number
}

/** Held by a process that sleeps. It has no interface but a loopback that is down. */
export async function makeNamespace(name: string, asBed: Inside): Promise<BedNamespace> {
  const [command, args] = asBed('unshare', ['--net', 'sleep', 'infinity'])
  const holder = spawn(command, args, { stdio: 'ignore', detached: true })
  holder.unref()
  const { pid } = holder
  if (pid === undefined) throw new Error('"unshare" could not be started.')
  const outside = await readlink('/proc/self/ns/net')
  while ((await readlink(`/proc/${pid}/ns/net`).catch(() => outside)) === outside) {
    if (holder.exitCode !== null) throw new Error('"unshare --net" is not allowed here; run as root.')
    await pause(5)
  }
  return { name, pid }
}

/** Runs a command in a namespace of the bed, as a process of the bed. */
export function insideNamespace({ pid }: BedNamespace, asBed: Inside): Inside {
  return (command, args) => asBed(...inNetworkOf(pid)(command, args))
}

export async function applyNetwork({ ip, settings }: NamespaceNetwork, inside: Inside): Promise<void> {
  const writes = Object.entries(settings).map(([path, value]) => `echo ${value} > /proc/sys/net/${path}`)
  if (writes.length > 0) await mustInside(inside, 'sh', ['-ec', writes.join('\n')])
  await mustInside(inside, 'ip', ['-batch', '-'], ip.join('\n'))
}
