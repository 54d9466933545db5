import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { parse } from 'yaml'

/** A sandbox in a process of its own, as `npm start -- --no-operator --nodes 0` runs it: the API server alone. */
export class SandboxProcess {
  readonly kubeconfig: string
  /** From the start of the process to the line that says that it serves. */
  readonly readyAfterMs: number
  readonly #process: ChildProcess
  readonly #directory: string

  private constructor(process: ChildProcess, directory: string, readyAfterMs: number) {
    this.#process = process
    this.#directory = directory
    this.kubeconfig = join(directory, 'kubeconfig')
    this.readyAfterMs = readyAfterMs
  }

  static async start(): Promise<SandboxProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-bench-sandbox-'))
    const options = ['--no-operator', '--nodes', '0', '--kubeconfig', join(directory, 'kubeconfig')]
    const start = performance.now()
    const child = spawn(process.execPath, ['dist/portcullis.js', 'sandbox', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    process.once('exit', () => child.kill('SIGKILL'))
    // Its output is read to the end: it stops when its output is closed.
    const lines = createInterface(child.stdout)
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => reject(new Error('The sandbox ended before it served.')))
      lines.on('line', (line) => {
        if (line.includes(' runs at https://')) resolve()
      })
    })
    return new SandboxProcess(child, directory, performance.now() - start)
  }

  async connection(): Promise<{ server: string; ca: string; token: string }> {
    const { clusters, users } = parse(await readFile(this.kubeconfig, 'utf8')) as {
      clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
      users: { user: { token: string } }[]
    }
    const [cluster] = clusters
    const ca = Buffer.from(cluster?.cluster['certificate-authority-data'] ?? '', 'base64').toString()
    return { server: cluster?.cluster.server ?? '', ca, token: users[0]?.user.token ?? '' }
  }

  async residentMb(): Promise<number> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(this.#process.pid)])
    return Number(stdout) / 1000
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM')
    const { exitCode, signalCode } = this.#process
    if (exitCode === null && signalCode === null) await once(this.#process, 'exit')
    await rm(this.#directory, { recursive: true, force: true })
  }
}
