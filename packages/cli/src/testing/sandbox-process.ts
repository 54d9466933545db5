import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const tsx = fileURLToPath(new URL('../../../../node_modules/tsx/dist/loader.mjs', import.meta.url))

/** A process that runs `portcullis sandbox` in an empty directory. */
export class SandboxProcess {
  readonly directory: string
  readonly #process: ChildProcess
  #output = ''

  private constructor(directory: string, args: readonly string[]) {
    this.directory = directory
    // Set as npm sets it: the sandbox then watches its parent process, and must end nevertheless.
    const env = { ...process.env, npm_execpath: 'npm' }
    const command = ['--import', tsx, main, 'sandbox', ...args]
    this.#process = spawn(process.execPath, command, { cwd: directory, env })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString()
      })
    }
  }

  static async start(...args: string[]): Promise<SandboxProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-sandbox-'))
    const sandbox = new SandboxProcess(directory, args)
    onTestFinished(async () => {
      sandbox.interrupt()
      await sandbox.ended()
      await rm(directory, { recursive: true })
    })
    return sandbox
  }

  /** What it has printed so far. */
  get output(): string {
    return this.#output
  }

  /** Closes its standard output, as `head` does once it has enough lines. */
  leaveUnread(): void {
    this.#process.stdout?.destroy()
  }

  /** Sends SIGINT, as Ctrl-C does. */
  interrupt(): void {
    this.#process.kill('SIGINT')
  }

  /** Resolves with the exit code once it has ended. */
  async ended(): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit')
    return this.#process.exitCode
  }
}
