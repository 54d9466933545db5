import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type CommandResult, run } from '../clusters/run-command.ts'
import { debianProgram } from './install-programs.ts'

/** A network of its own, in which every port is free; it is gone when the last process in it is. */
export class NetworkNamespace {
  readonly #holder: ChildProcess

  private constructor(holder: ChildProcess) {
    this.#holder = holder
  }

  static async make(): Promise<NetworkNamespace> {
    const unshare = await debianProgram('unshare', 'util-linux')
    const namespace = new NetworkNamespace(spawn(unshare, ['--net', 'sleep', '600'], { stdio: 'ignore' }))
    const outside = await readlink('/proc/self/ns/net')
    while ((await readlink(namespace.#path).catch(() => outside)) === outside) {
      if (namespace.#holder.exitCode !== null)
        throw new Error('"unshare --net" is not allowed here; run as root.')
      await pause(10)
    }
    await namespace.must('ip', 'link', 'set', 'lo', 'up')
    return namespace
  }

  /** What to start instead of a program, so that it runs in here. */
  inside(command: string, ...args: readonly string[]): [command: string, args: readonly string[]] {
    return ['nsenter', [`--net=${this.#path}`, command, ...args]]
  }

  run(command: string, ...args: readonly string[]): Promise<CommandResult> {
    return run(...this.inside(command, ...args))
  }

  /** What a program says that must succeed. */
  async must(command: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, ...args)
    if (code !== 0) throw new Error(`"${[command, ...args].join(' ')}" failed:\n${stderr}${stdout}`)
    return stdout
  }

  /** A network interface that is up, with these addresses. */
  async connect(name: string, ...addresses: readonly string[]): Promise<void> {
    await this.must('ip', 'link', 'add', name, 'type', 'bridge')
    await this.must('ip', 'link', 'set', name, 'up')
    for (const address of addresses)
      await this.must('ip', 'addr', 'add', address, 'dev', name, ...(address.includes(':') ? ['nodad'] : []))
  }

  /** A cable between interfaces of the same name, here and there. */
  async joinWith(other: NetworkNamespace, name: string): Promise<void> {
    await this.must(
      'ip',
      'link',
      'add',
      'cable',
      'type',
      'veth',
      'peer',
      'name',
      'cable',
      'netns',
      other.#pid,
    )
    for (const end of [this, other]) {
      await end.must('ip', 'link', 'set', 'cable', 'master', name)
      await end.must('ip', 'link', 'set', 'cable', 'up')
    }
  }

  /** A cable from an interface here to one there; both are up. */
  async cable(name: string, other: NetworkNamespace, otherName: string): Promise<void> {
    const peer = ['peer', 'name', otherName, 'netns', other.#pid]
    await this.must('ip', 'link', 'add', name, 'type', 'veth', ...peer)
    await this.must('ip', 'link', 'set', name, 'up')
    await other.must('ip', 'link', 'set', otherName, 'up')
  }

  async remove(): Promise<void> {
    const ended = once(this.#holder, 'exit')
    if (this.#holder.kill()) await ended
  }

  get #pid(): string {
    return String(this.#holder.pid)
  }

  get #path(): string {
    return `/proc/${this.#pid}/ns/net`
  }
}
