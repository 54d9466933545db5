import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface LogLine {
  readonly msg: string
  readonly [field: string]: unknown
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An operator in a process of its own, as a person would start it. */
export class OperatorProcess {
  readonly #process: ChildProcess
  readonly #log: LogLine[] = []
  #rest = ''

  constructor(script: string, env: Record<string, string>, args: readonly string[] = []) {
    const path = resolve(root, script)
    this.#process = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
    onTestFinished(async () => {
      this.send('SIGKILL')
      await this.ended()
    })
  }

  get log(): readonly LogLine[] {
    return this.#log
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Its exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.#process, 'exit')
    return this.#process.exitCode
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    this.#log.push(...lines.map((line) => JSON.parse(line) as LogLine))
  }
}
