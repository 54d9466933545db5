import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bundleOf } from '../child-program.ts'
import type { Inside } from '../inside.ts'

/**
 * The one opening of the bed, and it leads inwards: a port of this machine's loopback that is joined to a port in a network
 * namespace, so that kubectl and tests need not run in there. A child in the namespace accepts for us.
 */
export class Relay {
  readonly #child: ChildProcess

  static async start(inside: Inside): Promise<Relay> {
    const program = await bundleOf(fileURLToPath(new URL('relay-child.ts', import.meta.url)))
    const [command, args] = inside(process.execPath, ['--input-type=module', '--eval', program])
    return new Relay(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true }))
  }

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Joins a port of this machine to a port in the namespace. */
  async open(outside: number, inside: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const late = AbortSignal.timeout(20_000)
    const server = createServer()
    server.listen({ port: outside, host: '127.0.0.1', exclusive: true })
    await once(server, 'listening')
    const opened = once(this.#child, 'message', {
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    this.#child.send(inside, server)
    await opened.finally(() => server.close())
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await ended
  }
}
