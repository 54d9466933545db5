import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from './log.ts'
import type { Watchdog } from './watchdog.ts'

const probeEveryMs = 50
const readyWithinMs = 90_000
const killAfterMs = 5_000
const linesShown = 15

export interface ComponentSettings {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly logFile: string
  readonly watchdog: Watchdog
  /** Called when the component ends by itself, once it has been ready. */
  readonly log: Log
}

/** A component ended, or was not ready in time. The message has its command and the end of its log. */
export class ComponentFailed extends Error {
  override readonly name = 'ComponentFailed'
  readonly lostItsPort: boolean

  constructor(message: string, logTail: string) {
    super(`${message}\n${logTail}`)
    this.lostItsPort = /address already in use/i.test(logTail)
  }
}

/** One process of the control plane, with a log file, from its start to its end. */
export class Component {
  readonly #settings: ComponentSettings
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #ready = false
  #stopping = false

  constructor(settings: ComponentSettings) {
    this.#settings = settings
    this.#process = launch(settings)
    this.#ended = this.#watchForEnd()
  }

  /** Resolves as soon as the probe says so; rejects if the component ends first or takes too long. */
  async ready(probe: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + readyWithinMs
    while (!this.#ready) {
      signal?.throwIfAborted()
      if (await probe()) this.#ready = true
      else await delay(probeEveryMs)
      if (this.hasEnded) throw await this.#failed(`ended with ${this.#exit} before it was ready`)
      if (performance.now() > deadline) throw await this.#failed(`was not ready in ${readyWithinMs / 1000} s`)
    }
  }

  /** Asks it to end, and no longer asks when that takes too long. `SIGKILL` does not ask. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#stopping = true
    this.#process.kill(signal)
    const impatience = setTimeout(() => this.#process.kill('SIGKILL'), killAfterMs)
    await this.#ended
    clearTimeout(impatience)
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  get #exit(): string {
    const { exitCode, signalCode } = this.#process
    return signalCode ?? `exit code ${exitCode}`
  }

  async #watchForEnd(): Promise<void> {
    const { pid } = this.#process
    const { name, watchdog, logFile, log } = this.#settings
    const ended = new Promise<void>((resolve) => {
      this.#process.once('exit', () => resolve())
      this.#process.once('error', (error) => {
        appendFileSync(logFile, `${error.message}\n`) // It could not even be started.
        resolve()
      })
    })
    if (pid !== undefined) watchdog.guard(pid)
    await ended
    if (pid !== undefined) watchdog.release(pid)
    if (this.#ready && !this.#stopping)
      log(`${name} ended by itself with ${this.#exit}; its log is ${logFile}`)
  }

  async #failed(what: string): Promise<ComponentFailed> {
    const { name, command, args, logFile } = this.#settings
    const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-linesShown)
    return new ComponentFailed(
      `${name} ${what}.\nCommand: ${[command, ...args].join(' ')}\nThe end of its log:`,
      lines.join('\n'),
    )
  }
}

/**
 * In a process group of its own: Ctrl-C in the terminal then reaches only us, and we end the components in order.
 */
function launch({ command, args, env, logFile }: ComponentSettings): ChildProcess {
  const output = openSync(logFile, 'a')
  try {
    return spawn(command, args, {
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', output, output],
    })
  } finally {
    closeSync(output)
  }
}
