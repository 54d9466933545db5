import { spawn } from 'node:child_process'
import { readlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Inside, inNetworkOf, mustInside } from '../inside.ts'
import type { NamespaceNetwork } from './network.ts'
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts'

const madeWithinMs = 10_000

/** A network namespace of the bed: plain data, which can cross to another process. It is gone when the last process in it is. */
export interface BedNamespace {
  readonly name: string
  /** The number of a process in it that lives as long as the bed, and when that began. */
  readonly pid: number
  readonly start: number
}

/** Held by a process that sleeps. It has no interface but a loopback that is down. */
export async function makeNamespace(name: string, asBed: Inside): Promise<BedNamespace> {
  const [command, args] = asBed('unshare', ['--net', 'sleep', 'infinity'])
  const holder = spawn(command, args, { stdio: 'ignore', detached: true })
  holder.unref()
  const { pid } = holder
  if (pid === undefined) throw new Error('"unshare" could not be started.')
  const outside = await readlink('/proc/self/ns/net')
  const deadline = performance.now() + madeWithinMs
  while ((await readlink(`/proc/${pid}/ns/net`).catch(() => outside)) === outside) {
    if (holder.exitCode !== null || holder.signalCode !== null)
      throw new Error(
        `The network namespace "${name}" could not be made: "unshare --net" ended with ${holder.signalCode ?? holder.exitCode}; run as root.`,
      )
    if (performance.now() > deadline) {
      holder.kill('SIGKILL')
      throw new Error(`The network namespace "${name}" was not made in ${madeWithinMs / 1000} s.`)
    }
    await pause(5)
  }
  return { name, ...identityOf(name, pid) }
}

function identityOf(name: string, pid: number): ProcessIdentity {
  const identity = processIdentity(pid)
  if (identity === undefined) throw new Error(`The network namespace "${name}" ended as soon as it was made.`)
  return identity
}

/**
 * Runs a command in a namespace of the bed, as a process of the bed. Throws when the namespace is gone: it would else be that of
 * whichever process has the number now, and what is done there is done as root.
 */
export function insideNamespace(namespace: BedNamespace, asBed: Inside): Inside {
  return (command, args) => {
    const { name, pid } = namespace
    if (!isRunning(namespace))
      throw new Error(
        `The network namespace "${name}" is gone: process ${pid}, which held it, has ended; start the bed anew.`,
      )
    return asBed(...inNetworkOf(pid)(command, args))
  }
}

export async function applyNetwork({ ip, settings }: NamespaceNetwork, inside: Inside): Promise<void> {
  const writes = Object.entries(settings).map(([path, value]) => `echo ${value} > /proc/sys/net/${path}`)
  if (writes.length > 0) await mustInside(inside, 'sh', ['-ec', writes.join('\n')])
  await mustInside(inside, 'ip', ['-batch', '-'], ip.join('\n'))
}
