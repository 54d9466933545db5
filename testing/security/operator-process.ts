import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Cluster } from '../e2e/cluster.ts'
import { listenersOf } from './listening-sockets.ts'

/** The operator as a process, with all that it prints. */
export class TheOperator {
  readonly #process: ChildProcess
  output = ''

  constructor(
    { operatorNamespace, operandNamespace }: Cluster['settings'],
    kubeconfig: string,
    flags: readonly string[] = [],
  ) {
    this.#process = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        'packages/cli/src/main.ts',
        'operator',
        '--log-level=debug',
        '--health-port=0',
        `--operator-namespace=${operatorNamespace}`,
        `--operand-namespace=${operandNamespace}`,
        '--platform=AWS',
        `--kubeconfig=${kubeconfig}`,
        '--no-leader-election',
        ...flags,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  listeners(): Promise<string[]> {
    return listenersOf(this.#process.pid ?? 0)
  }

  async health(): Promise<string> {
    const [listener = ''] = await this.listeners()
    const port = listener.split(':').at(-1)
    const pages = ['metrics', 'readyz', 'healthz', 'nothing'].map(async (page) =>
      (await fetch(`http://127.0.0.1:${port}/${page}`)).text(),
    )
    return (await Promise.all(pages)).join('\n')
  }

  async ended(): Promise<void> {
    if (!this.hasEnded) await once(this.#process, 'exit')
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM')
    await this.ended()
  }
}
