import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Inside } from './inside.ts'
import { shellCode } from './run-command.ts'

const errorShown = 2_000

export interface ChildProgramOptions<Received> {
  readonly inside: Inside
  /** The TypeScript file to run, which imports only what Node has and what the bundler finds. */
  readonly entry: URL
  readonly receive: (message: Received) => void
}

const bundles = new Map<string, Promise<string>>()

/**
 * A TypeScript program of ours as a Node process in another network namespace. Both sides send messages, a line of JSON
 * each; `child-messages.ts` is the other side. The program ends when its input does, so that it cannot outlive us.
 */
export class ChildProgram<Sent, Received> {
  readonly #process: ChildProcess
  /** Resolves when the process is gone and all of its messages are received. The text says how it ended; undefined if well. */
  readonly ended: Promise<string | undefined>
  #stderr = ''

  private constructor(child: ChildProcess, receive: (message: Received) => void) {
    this.#process = child
    child.stdin?.on('error', () => {}) // It has ended; `ended` says how.
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-errorShown)
    })
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => receive(JSON.parse(line) as Received))
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message)) // It could not even be started.
      child.once('close', (code, killedBy) => {
        const exit = code ?? shellCode(killedBy)
        resolve(exit === 0 ? undefined : `exit code ${exit}\n${this.#stderr}`.trim())
      })
    })
  }

  static async start<Sent, Received>({
    inside,
    entry,
    receive,
  }: ChildProgramOptions<Received>): Promise<ChildProgram<Sent, Received>> {
    // As an argument, so that there is no file that could be left behind.
    const node = ['--input-type=module', '--eval', await bundleOf(fileURLToPath(entry))]
    const child = spawn(...spawnable(inside(process.execPath, node)), {
      stdio: 'pipe',
      env: {},
      detached: true,
    })
    if (child.pid === undefined) await once(child, 'spawn')
    return new ChildProgram<Sent, Received>(child, receive)
  }

  send(message: Sent): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  /** Ends its input, upon which it ends by itself; it is killed when that takes too long. */
  async stop(graceMs = 5_000): Promise<string | undefined> {
    this.#process.stdin?.end()
    const impatience = setTimeout(() => this.#process.kill('SIGKILL'), graceMs)
    try {
      return await this.ended
    } finally {
      clearTimeout(impatience)
    }
  }
}

function spawnable([command, args]: readonly [string, readonly string[]]): [string, string[]] {
  return [command, [...args]]
}

/** Starting a bundle takes a tenth of the time that starting TypeScript takes. */
export function bundleOf(file: string): Promise<string> {
  const bundle = bundles.get(file) ?? bundleAnew(file)
  bundles.set(file, bundle)
  return bundle
}

async function bundleAnew(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    write: false,
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
  })
  return outputFiles[0]?.text ?? ''
}
