import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LeaseTiming } from '@portcullis/kube/internal/election/lease-timing.ts'
import { onTestFinished } from 'vitest'

export interface CandidateTask {
  readonly kubeconfig: string
  readonly namespace: string
  /** Of the Lease, and of the ConfigMap that the leader writes. */
  readonly name: string
  readonly identity: string
  readonly timing: LeaseTiming
}

const script = fileURLToPath(new URL('candidate.ts', import.meta.url))

/** A process that stands for election. */
export class Candidate {
  readonly identity: string
  readonly #process: ChildProcess
  readonly #lines: string[] = []

  constructor(task: CandidateTask) {
    this.identity = task.identity
    this.#process = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process.stdout?.on('data', (chunk: Buffer) => {
      this.#lines.push(...chunk.toString().split('\n').filter(Boolean))
    })
    onTestFinished(() => this.#end())
  }

  /** What it has said so far. */
  get lines(): readonly string[] {
    return this.#lines
  }

  get isLeading(): boolean {
    return this.#lines.at(-1)?.startsWith('leading') ?? false
  }

  send(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  /** Its exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit')
    return this.#process.exitCode
  }

  async #end(): Promise<void> {
    this.send('SIGKILL') // Ends a stopped process too.
    await this.ended()
  }
}
