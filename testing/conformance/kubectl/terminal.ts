import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { run } from '../../clusters/run-command.ts'
import { normalised } from './normalise.ts'

export interface TerminalOptions {
  /** The path of kubectl. */
  readonly kubectl: string
  /** The admin's, of the cluster to work on. */
  readonly kubeconfig: string
  /** For files that last as long as the cluster does. */
  readonly directory: string
  readonly namespace: string
}

/** What is in the directory in which people work. */
const fixtures = fileURLToPath(new URL('fixtures', import.meta.url))

/** A shell with kubectl, in one namespace of a cluster. */
export class Terminal {
  readonly #env: Readonly<Record<string, string>>

  private constructor(env: Readonly<Record<string, string>>) {
    this.#env = env
  }

  /** In a namespace that is made for it. */
  static async open({ kubectl, kubeconfig, directory, namespace }: TerminalOptions): Promise<Terminal> {
    const config = parse(await readFile(kubeconfig, 'utf8')) as { contexts: { context: object }[] }
    for (const entry of config.contexts) entry.context = { ...entry.context, namespace }
    const path = join(directory, `${namespace}.kubeconfig`)
    await writeFile(path, stringify(config), { mode: 0o600 })
    const terminal = new Terminal({
      PATH: [dirname(kubectl), process.env['PATH'] ?? ''].join(delimiter),
      KUBECONFIG: path,
      KUBECACHEDIR: join(directory, 'kubectl-cache'),
      KUBERC: 'off',
      TMPDIR: directory,
    })
    // A test that is tried again finds what it left the first time.
    await terminal.type(`kubectl delete namespace ${namespace} --ignore-not-found`)
    expect(await terminal.type(`kubectl create namespace ${namespace}`)).toBe(
      `namespace/${namespace} created\n`,
    )
    return terminal
  }

  /** Runs a line as a shell does; what appears, and how it ended unless that was well. */
  async type(line: string): Promise<string> {
    const { stdout, code } = await run('sh', ['-c', `exec 2>&1\n${line}`], { cwd: fixtures, env: this.#env })
    const ended = stdout === '' || stdout.endsWith('\n') ? '' : '\n'
    return `${stdout}${ended}${code === 0 ? '' : `[exit ${code}]\n`}`
  }

  /**
   * Types what follows each `$ ` in the transcript, and claims that what appears is what stands there, but for what
   * differs from one time to the next.
   */
  async shows(transcript: string): Promise<void> {
    let seen = ''
    for (const line of transcript.split('\n').filter((each) => each.startsWith('$ '))) {
      seen += `${line}\n${normalised(await this.type(line.slice(2)))}`
    }
    expect(seen.trimEnd()).toBe(transcript.trimEnd())
  }
}
