import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { waitUntil } from './wait-until.ts'

/** As the image starts it. */
const nodeFlags = ['--max-old-space-size=384', '--max-semi-space-size=4']

/** Ticks of the kernel in a second, in which it counts the time that a process took. */
const ticks = 100

/** `portcullis operator` as people run it, built. */
export class OperatorProcess {
  readonly startedAt = performance.now()
  readonly #process: ChildProcess
  /** The messages that it logged, and when. */
  readonly #logged = new Map<string, number>()

  constructor(kubeconfig: string, flags: readonly string[]) {
    const places = ['--kubeconfig', kubeconfig, '--health-host', '127.0.0.1', '--health-port', '0']
    const args = [...nodeFlags, 'dist/portcullis.js', 'operator', ...places, ...flags]
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream })
    lines.on('line', (line) => {
      const { msg } = JSON.parse(line) as { msg: string }
      if (!this.#logged.has(msg)) this.#logged.set(msg, performance.now())
    })
  }

  /** @returns seconds from its start */
  async logged(message: string): Promise<number> {
    await waitUntil(() => this.#logged.has(message) || this.#hasEnded, `an operator says "${message}"`)
    if (!this.#logged.has(message)) throw new Error(`An operator ended without saying "${message}".`)
    return ((this.#logged.get(message) ?? Number.NaN) - this.startedAt) / 1000
  }

  /** Processor time so far, user and system. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#process.pid}/stat`, 'utf8')
    // The name of the program, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticks
  }

  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8')
    return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  async hasEnded(): Promise<void> {
    await waitUntil(() => this.#hasEnded, 'an operator has ended')
  }

  /** In good order, unless it takes too long. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#hasEnded) return
    const ended = once(this.#process, 'exit')
    this.send(signal)
    const overdue = setTimeout(() => this.send('SIGKILL'), 10_000)
    await ended
    clearTimeout(overdue)
  }
}
