import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/**
 * Each line that comes in is the list of the processes alive now. The input ends when the process that writes it
 * is gone, for whatever reason; what it left is then removed. Killed processes may hold on to their directory for
 * a moment, hence the second try.
 */
const script = `
while read -r line; do pids=$line; done
[ -n "$pids" ] && kill -KILL $pids 2>/dev/null
rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }
`

/**
 * Sees to it that no process and no directory outlives us, even when we are killed and no handler of ours runs:
 * a shell that waits for the end of its input, which the kernel closes with us. It works wherever there is a
 * POSIX shell, and it makes exit handlers needless.
 */
export class Watchdog {
  readonly #shell: ChildProcessByStdio<Writable, null, null>
  readonly #pids = new Set<number>()

  constructor(directory: string) {
    // Detached, so that Ctrl-C in our terminal does not end the watchdog first.
    this.#shell = spawn('sh', ['-c', script, 'portcullis-watchdog', directory], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#shell.stdin.on('error', () => {}) // It was killed: then there is no watchdog, and that is all.
    this.#shell.unref()
  }

  guard(pid: number): void {
    this.#pids.add(pid)
    this.#send()
  }

  /** The process has ended: its number may soon be another's. */
  release(pid: number): void {
    this.#pids.delete(pid)
    this.#send()
  }

  /** Nothing is left to guard. Resolves when the watchdog itself has ended. */
  async dismiss(): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once('exit', resolve))
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return
    this.#shell.ref()
    this.#shell.stdin.end()
    await ended
  }

  #send(): void {
    this.#shell.stdin.write(`${[...this.#pids].join(' ')}\n`)
  }
}
