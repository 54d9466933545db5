import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Component } from './component.ts'
import { here, type Inside } from './inside.ts'
import type { Log } from './log.ts'
import { Watchdog } from './watchdog.ts'

export interface WorkspaceOptions {
  readonly parent?: string
  readonly inside?: Inside
}

/**
 * What one control plane occupies on this machine: a temporary directory, and processes. Leaving removes both,
 * and so does the watchdog if we end without having left.
 */
export class Workspace {
  readonly directory: string
  readonly #watchdog: Watchdog
  readonly #log: Log
  readonly #inside: Inside
  /** In the order of their first start; one that is started again keeps its place. */
  readonly #components = new Map<string, Component>()

  /**
   * @param parent the directory in which it makes its own
   * @param inside where its processes run; in this process's own namespaces unless given
   */
  static async create(
    log: Log,
    { parent = tmpdir(), inside = here }: WorkspaceOptions = {},
  ): Promise<Workspace> {
    return new Workspace(await mkdtemp(join(parent, 'portcullis-control-plane-')), log, inside)
  }

  private constructor(directory: string, log: Log, inside: Inside) {
    this.directory = directory
    this.#inside = inside
    this.#watchdog = new Watchdog(directory)
    this.#log = log
  }

  path(name: string): string {
    return join(this.directory, name)
  }

  /** For our eyes only: most of what is written here is secret. */
  async write(name: string, content: string): Promise<string> {
    const path = this.path(name)
    await writeFile(path, content, { mode: 0o600 })
    return path
  }

  /** @param env added to our own environment */
  launch(
    name: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Component {
    const logFile = this.path(`${name}.log`)
    const [file, all] = this.#inside(command, args)
    const component = new Component({
      name,
      command: file,
      args: all,
      env,
      logFile,
      watchdog: this.#watchdog,
      log: this.#log,
    })
    this.#components.set(name, component)
    return component
  }

  /** Ends what was launched last first: no component outlives what it depends on. */
  async remove(): Promise<void> {
    for (const component of [...this.#components.values()].toReversed()) await component.stop()
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 })
    await this.#watchdog.dismiss()
  }
}
