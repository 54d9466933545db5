import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that runs until it is stopped, and what it said. */
export interface Running {
  said(): string
  stop(): Promise<void>
}

export function start(path: string, args: readonly string[]): Running {
  const child: ChildProcess = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const exit = once(child, 'exit')
  return {
    said: () => said,
    async stop() {
      // Asked to, nginx ends its workers, too.
      child.kill('SIGTERM')
      const impatience = setTimeout(() => child.kill('SIGKILL'), 5000)
      await exit
      clearTimeout(impatience)
    },
  }
}
