import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Settings } from '@portcullis/operator'
import { eventually } from '../clusters/eventually.ts'
import { freePort } from '../clusters/free-port.ts'
import type { Nodejs } from '../clusters/nodejs/image-nodejs.ts'
import { heapInUse } from './heap.ts'
import { lostAddressGraceSeconds } from './options.ts'

/** One operator, in a process of its own. */
export class Operator {
  readonly #process: ChildProcess
  readonly #healthPort: number
  readonly startedAt = performance.now()
  /** Errors that it logged. */
  readonly errors: string[] = []
  #inspector: string | undefined
  #rest = ''

  private constructor(child: ChildProcess, healthPort: number) {
    this.#process = child
    this.#healthPort = healthPort
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#inspector ??= /ws:\/\/\S+/.exec(chunk.toString())?.[0]
    })
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
  }

  static async start(
    nodejs: Nodejs,
    program: readonly string[],
    kubeconfig: string,
    settings: Settings,
  ): Promise<Operator> {
    const port = await freePort()
    const child = spawn(
      nodejs.path,
      [
        '--inspect=127.0.0.1:0',
        ...program,
        'operator',
        `--kubeconfig=${kubeconfig}`,
        `--platform=${settings.platform}`,
        `--operator-namespace=${settings.operatorNamespace}`,
        `--operand-namespace=${settings.operandNamespace}`,
        '--command-line=kubectl',
        '--health-host=127.0.0.1',
        `--health-port=${port}`,
        `--lost-address-grace=${lostAddressGraceSeconds}s`,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    await once(child, 'spawn')
    return new Operator(child, port)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  async leads(): Promise<boolean> {
    return (await this.metric('portcullis_leader')) === 1
  }

  /** The sum over all labels; undefined when it does not answer. */
  async metric(name: string): Promise<number | undefined> {
    const text = await this.#metrics()
    return text
      ?.split('\n')
      .filter((line) => line.startsWith(name) && /[{ ]/.test(line[name.length] ?? ''))
      .map((line) => Number(line.slice(line.lastIndexOf(' '))))
      .reduce((sum, value) => sum + value, 0)
  }

  /** Bytes, of what is still needed. */
  async heap(): Promise<number> {
    return heapInUse(this.#inspector ?? '')
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return
    const ended = once(this.#process, 'exit')
    this.#process.kill(signal)
    await ended
  }

  async #metrics(): Promise<string | undefined> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#healthPort}/metrics`, {
        signal: AbortSignal.timeout(20_000),
      })
      return await answer.text()
    } catch {
      return undefined
    }
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const { level, msg } = JSON.parse(line) as { level: number; msg: string }
      if (level >= 50) this.errors.push(msg)
    }
  }
}

/** Several operators, as a Deployment keeps them: one that dies is replaced. */
export class Operators {
  readonly #start: () => Promise<Operator>
  /** All that there ever were. */
  readonly all: Operator[] = []

  private constructor(start: () => Promise<Operator>) {
    this.#start = start
  }

  static async start(count: number, start: () => Promise<Operator>): Promise<Operators> {
    const operators = new Operators(start)
    // No operator outlives this process, however it ends.
    process.once('exit', () => operators.alive.forEach(({ pid }) => process.kill(pid, 'SIGKILL')))
    for (let started = 0; started < count; started++) await operators.#add()
    return operators
  }

  get alive(): Operator[] {
    return this.all.filter(({ hasEnded }) => !hasEnded)
  }

  async leader(): Promise<Operator> {
    return eventually(async () => {
      for (const operator of this.alive) if (await operator.leads()) return operator
      throw new Error('Nobody leads')
    }, 120_000)
  }

  /** As a machine that fails does it: without a word. */
  async killLeader(): Promise<void> {
    await (await this.leader()).kill('SIGKILL')
    await this.#add()
  }

  async stop(): Promise<void> {
    await Promise.all(this.alive.map((operator) => operator.kill('SIGTERM')))
  }

  async #add(): Promise<void> {
    this.all.push(await this.#start())
  }
}
